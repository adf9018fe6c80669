/// A marker of a JPEG where it was met, with the place of its payload.
public struct JPEGSegment: Hashable, Sendable {
    /// The marker.
    public let marker: JPEGMarker

    /// The bytes after the length field, as offsets from the JPEG's first byte; empty for a marker that stands by itself.
    public let payload: Range<Int>

    /// The byte at which the segment begins: the `FF` directly before the marker's code, after any fill bytes.
    public var offset: Int { payload.lowerBound - (marker.isStandalone ? 2 : 4) }

    /// The marker with the place of its payload.
    public init(marker: JPEGMarker, payload: Range<Int>) {
        self.marker = marker
        self.payload = payload
    }
}
