// Placeholder until the first type moves in.
