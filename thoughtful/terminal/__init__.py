"""Parts that commands share: options, arguments, output and processes."""
