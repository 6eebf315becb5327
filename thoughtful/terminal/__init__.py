"""What commands have in common: options, arguments, output and processes."""
