/// The decoders that Tessera brings along.
public enum ImageDecoders {}
