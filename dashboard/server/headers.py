"""Headers of every response: no other site may frame a page, guess its type or see its address."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Streamlit shows components in frames of its own origin, so framing by that one is allowed. A
# policy for scripts would have to allow what it is there to forbid: charts evaluate text.
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'self'; base-uri 'self'; object-src 'none'",
    "X-Frame-Options": "SAMEORIGIN",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Headers:
    """ASGI middleware that sets the headers, in place of any that are there."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                ours = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
                names = {name for name, _ in ours}
                kept = [pair for pair in message["headers"] if pair[0].lower() not in names]
                message = {**message, "headers": [*kept, *ours]}
            await send(message)

        await self.app(scope, receive, send_with_headers)
