"""A small OpenID Connect provider, which signs everybody in as the person it was told."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "thoughtful-tests"
CLIENT_SECRET = "the-client-secret-of-the-tests"


class Provider:
    """The provider, and who signs in next.

    Attributes:
        issuer: its address.
        claims: further claims of the next identity, such as ``email``.
    """

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {"email": "ada@example.org", "email_verified": True}
        self._key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})
        self._nonces: dict[str, str | None] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def secrets(self, dashboard: str) -> str:
        """The file of secrets of a dashboard at an address."""
        return (
            f'[auth]\nredirect_uri = "{dashboard}/oauth2callback"\n'
            'cookie_secret = "a-cookie-secret-of-the-tests-only"\n'
            f'client_id = "{CLIENT}"\nclient_secret = "{CLIENT_SECRET}"\n'
            f'server_metadata_url = "{self.issuer}/.well-known/openid-configuration"\n'
        )

    def _token(self, code: str) -> dict[str, Any]:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "1",
            "iat": now,
            "exp": now + 3600,
            **self.claims,
        }
        if self._nonces.get(code):
            claims["nonce"] = self._nonces[code]
        identity = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self._key)
        return {"access_token": "x", "token_type": "Bearer", "id_token": identity}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self  # within the class, self is a request

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(asked.query).items()}
                if asked.path == "/.well-known/openid-configuration":
                    self._json(
                        {
                            "issuer": provider.issuer,
                            "authorization_endpoint": f"{provider.issuer}/authorize",
                            "token_endpoint": f"{provider.issuer}/token",
                            "jwks_uri": f"{provider.issuer}/keys",
                            "id_token_signing_alg_values_supported": ["RS256"],
                        }
                    )
                elif asked.path == "/keys":
                    self._json({"keys": [provider._key.as_dict(private=False)]})
                elif asked.path == "/authorize":
                    code = base64.urlsafe_b64encode(query["state"].encode()).decode()
                    provider._nonces[code] = query.get("nonce")
                    back = urlencode({"code": code, "state": query["state"]})
                    self.send_response(302)
                    self.send_header("Location", f"{query['redirect_uri']}?{back}")
                    self.end_headers()
                else:
                    self.send_error(404)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._json(provider._token(parse_qs(body)["code"][0]))

            def _json(self, value: Any) -> None:
                body = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Requests are not logged."""

        return Handler


@contextmanager
def provider() -> Iterator[Provider]:
    """Serve a provider."""
    made = Provider()
    threading.Thread(target=made.server.serve_forever, daemon=True).start()
    yield made
    made.server.shutdown()
    made.server.server_close()
