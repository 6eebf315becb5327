"""The page of `/api/v1/`: every call of the OpenAPI document with its parameters, as plain HTML."""

from html import escape
from typing import Any

_STYLE = """body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto;
padding: 0 1rem; color-scheme: light dark } code { font-size: .95em } dd { margin-bottom: .4rem }
h2 { font-size: 1.1rem; margin: 2rem 0 .2rem }"""


def page_of(document: dict[str, Any], prefix: str) -> str:
    """The page of an OpenAPI document whose calls begin with the prefix."""
    title = escape(document["info"]["title"])
    calls = "".join(
        _call(method, prefix + path, call)
        for path, methods in document["paths"].items()
        for method, call in methods.items()
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><h1>{title}: HTTP API</h1><p>{escape(document['info'].get('summary', ''))}. "
        f'The document for programs is <a href="{prefix}/openapi.json">openapi.json</a>; errors '
        f"are <code>application/problem+json</code>.</p>{calls}</body></html>"
    )


def _call(method: str, path: str, call: dict[str, Any]) -> str:
    listed = "".join(
        f"<dt><code>{escape(each['name'])}</code>{'' if each.get('required') else ', optional'}"
        f"</dt><dd>{escape(each.get('description', ''))}</dd>"
        for each in call.get("parameters", ())
    )
    return (
        f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
        f"<p>{escape(call.get('description', ''))}{_example(method, path, call)}</p>"
        f"<dl>{listed}</dl>"
    )


def _example(method: str, path: str, call: dict[str, Any]) -> str:
    """A link that asks, of calls whose parameters have examples."""
    if method != "get" or "{" in path:
        return ""
    needed = [each for each in call.get("parameters", ()) if each.get("required")]
    query = "&".join(f"{each['name']}={each['schema']['examples'][0]}" for each in needed)
    link = escape(f"{path}?{query}" if query else path)
    return f' For example <a href="{link}">{link}</a>'
