#if JPEGXL
/// Recognises JPEG XL, and whether it is animated, from a file's first bytes and without the library (ISO/IEC 18181-1,
/// D.2 and D.3; 18181-2).
enum JPEGXLSignature {
    private static let codestream = JPEGXLContainer.codestreamSignature
    private static let container = JPEGXLContainer.signature
    /// The maximum length of boxes before the codestream that are skipped to find its header.
    private static let maximumSkippedByteCount = 1 << 20
    /// The greatest length of a header up to the animation flag.
    private static let headerByteCount = 48

    static func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch (probe.starts(with: codestream), probe.starts(with: container)) {
        case (true?, _): match(probe, codestreamAt: 2)
        case (_, true?): identifyBoxes(probe)
        case (nil, _): .needMoreData(minimum: codestream.count)
        case (_, nil): .needMoreData(minimum: container.count)
        default: .unknown
        }
    }

    /// Searches for the box that the codestream begins in.
    private static func identifyBoxes(_ probe: borrowing FormatProbe) -> FormatMatch {
        let bytes = probe.prefix
        var position = container.count
        while position <= maximumSkippedByteCount {
            guard bytes.byteCount >= position + 8 else { return more(probe, position + 8) }
            let size = Int(bytes.bigEndianUInt32(at: position))
            let type = (0..<4).map { bytes.unsafeLoad(fromByteOffset: position + 4 + $0, as: UInt8.self) }
            // A size of 1 means a 64-bit size after the type.
            let headerByteCount = size == 1 ? 16 : 8
            if type.elementsEqual("jxlc".utf8) { return match(probe, codestreamAt: position + headerByteCount + 2) }
            // A partial codestream begins with its 32-bit number.
            if type.elementsEqual("jxlp".utf8) { return match(probe, codestreamAt: position + headerByteCount + 6) }
            guard size >= 8 else { return .match(.jpegXL) }
            position += size
        }
        return .match(.jpegXL)
    }

    /// A match, animated if the header at `start`, after the codestream's signature, has animation.
    private static func match(_ probe: borrowing FormatProbe, codestreamAt start: Int) -> FormatMatch {
        let bytes = probe.prefix
        let end = start + headerByteCount
        guard bytes.byteCount >= end || probe.isWhole else { return .needMoreData(minimum: end) }
        guard bytes.byteCount > start else { return .match(.jpegXL) }
        var reader = BitReader(bytes.extracting(start..<min(end, bytes.byteCount)))
        return .match(.jpegXL, reader.readsAnimation() ? .animated : [])
    }

    private static func more(_ probe: borrowing FormatProbe, _ minimum: Int) -> FormatMatch {
        if probe.isWhole { return .match(.jpegXL) }
        return minimum <= maximumSkippedByteCount ? .needMoreData(minimum: minimum) : .match(.jpegXL)
    }
}

extension JPEGXLSignature {
    /// Reads a codestream header's bits, lowest first. Bits beyond the end are 0.
    private struct BitReader: ~Escapable {
        private let bytes: RawSpan
        private var position = 0

        @_lifetime(copy bytes)
        init(_ bytes: RawSpan) { self.bytes = bytes }

        /// Reads the header, and returns whether it has animation.
        mutating func readsAnimation() -> Bool {
            skipSize()
            // The flags all_default, and extra_fields in the image metadata.
            guard read(1) == 0, read(1) == 1 else { return false }
            // The orientation.
            _ = read(3)
            if read(1) == 1 { skipSize() }
            if read(1) == 1 { skipPreviewSize() }
            return read(1) == 1
        }

        private mutating func skipSize() {
            let isSmall = read(1) == 1
            skipSide(isSmall)
            if read(3) == 0 { skipSide(isSmall) }
        }

        private mutating func skipSide(_ isSmall: Bool) {
            _ = isSmall ? read(5) : read([9, 13, 18, 30][read(2)])
        }

        private mutating func skipPreviewSize() {
            let isInEighths = read(1) == 1
            let widths = isInEighths ? [0, 0, 5, 9] : [6, 8, 10, 12]
            _ = read(widths[read(2)])
            if read(3) == 0 { _ = read(widths[read(2)]) }
        }

        private mutating func read(_ count: Int) -> Int {
            var value = 0
            for bit in 0..<count {
                if position / 8 < bytes.byteCount {
                    let byte = bytes.unsafeLoad(fromByteOffset: position / 8, as: UInt8.self)
                    value |= Int(byte >> UInt8(position % 8) & 1) << bit
                }
                position += 1
            }
            return value
        }
    }
}
#endif
