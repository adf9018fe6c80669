"""Tessera measured against its peers."""
