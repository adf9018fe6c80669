/// The encoders that Tessera brings along.
public enum ImageEncoders {}
