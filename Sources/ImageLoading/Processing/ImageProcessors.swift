/// The processors that Tessera brings along.
///
/// Where a processor is asked for, write `.resize(width: 100)` and the like.
public enum ImageProcessors {}
