internal import ImageFormats
internal import Raster

/// Bytes of another source that can be read once more from the start, as long as nobody says that they needn't.
final class RewindableBytes: ByteSource {
    private let source: any ByteSource
    private var pieces: [[UInt8]] = []
    private var next = 0
    private var isKeeping = true
    private var observe: ((RawSpan) -> Void)?

    let byteCount: Int?

    init(_ source: any ByteSource) {
        self.source = source
        byteCount = source.byteCount
    }

    /// Goes back to the first byte. Traps after `keepNoMore()`.
    func rewind() {
        precondition(isKeeping)
        next = 0
    }

    /// Lets go of what was read, and of what is read from now on.
    func keepNoMore() {
        isKeeping = false
        for index in pieces[..<next].indices { pieces[index] = [] }
    }

    /// What was read since the start.
    var readBytes: [UInt8] { Array(pieces[..<next].joined()) }

    /// Has `observe` see what is read from now on.
    func observe(_ observe: @escaping (RawSpan) -> Void) { self.observe = observe }

    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
        if next < pieces.count {
            let piece = pieces[next]
            if !isKeeping { pieces[next] = [] }
            next += 1
            observe?(piece.span.bytes)
            try body(piece.span.bytes)
            return true
        }
        guard isKeeping else {
            return try source.nextBytes { [observe] (piece) throws(ImageError) in
                observe?(piece)
                try body(piece)
            }
        }
        var piece: [UInt8] = []
        // Used within the call only.
        guard try source.nextBytes({ bytes in bytes.withUnsafeBytes { piece = Array($0) } }) else { return false }
        pieces.append(piece)
        next += 1
        try body(piece.span.bytes)
        return true
    }

    func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { try source.suffix(count) }
}
