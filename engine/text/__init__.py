"""Text formats that games share: boards, move lists, JSON and lines of deals."""
