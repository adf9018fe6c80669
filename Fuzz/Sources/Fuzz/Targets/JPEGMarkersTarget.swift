import JPEGBitstream

extension FuzzTarget {
    /// Walking a JPEG's markers, whole and in pieces, which must find the same.
    static let jpegMarkers = FuzzTarget(
        name: "jpeg-markers", seedExtensions: ["jpg", "jpeg", "jpng"],
        seeds: { [Fixtures.jpeg, Fixtures.jpng] }
    ) { input in
        let bytes = input.span.bytes
        let whole = JPEGStructure(of: bytes, recording: 64)
        var walker = JPEGMarkerWalker(recording: 64)
        var splits = Splits(input)
        do {
            while let piece = splits.next() { try walker.append(bytes.extracting(piece)) }
            try walker.finish()
        } catch {
            // The structure says the same.
        }
        precondition(walker.structure == whole)
        for segment in whole.segments { precondition(segment.payload.upperBound <= input.count) }
    }
}
