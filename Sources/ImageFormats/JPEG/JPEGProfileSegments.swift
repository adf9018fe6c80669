/// Puts an ICC profile together from the pieces that a JPEG carries it in (ICC.1:2010, B.4).
struct JPEGProfileSegments {
    private var pieces: [UInt8: ArraySlice<UInt8>] = [:]
    private var count: UInt8?
    private var byteCount = 0
    private var isBroken = false

    /// Takes a piece: its number from 1, how many there are, and its bytes.
    mutating func add(_ segment: ArraySlice<UInt8>, limit: Int) {
        guard !isBroken else { return }
        let header = Array(segment.prefix(2))
        guard header.count == 2, header[0] >= 1, header[0] <= header[1], count == nil || count == header[1],
            pieces[header[0]] == nil
        else {
            isBroken = true
            return
        }
        count = header[1]
        byteCount += segment.count - 2
        guard byteCount <= limit else {
            isBroken = true
            return
        }
        pieces[header[0]] = segment.dropFirst(2)
    }

    /// The profile; nil when there is none, pieces are missing or contradict each other, or it is meant for another
    /// kind of picture: a wrong profile does more harm than none.
    func assembled(for colorModel: ImageHeader.ColorModel) -> [UInt8]? {
        guard !isBroken, let count, pieces.count == Int(count) else { return nil }
        var profile: [UInt8] = []
        profile.reserveCapacity(byteCount)
        for number in 1...count { profile += pieces[number]! }
        let space =
            switch colorModel {
            case .gray: "GRAY"
            case .rgb, .indexed: "RGB "
            case .cmyk: "CMYK"
            }
        // The header has 128 bytes, and the data colour space in bytes 16 to 19 (ICC.1:2010, 7.2).
        guard profile.count >= 128, profile[16..<20].elementsEqual(space.utf8) else { return nil }
        return profile
    }
}
