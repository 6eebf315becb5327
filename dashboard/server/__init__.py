"""Parts that all requests share: the open catalogue, searches, who may write, headers, metrics."""
