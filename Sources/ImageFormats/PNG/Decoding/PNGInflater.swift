internal import CTesseraLibZ
internal import Raster

/// Unpacks a zlib stream piece by piece.
final class PNGInflater {
    /// How a call ended.
    enum Status: Equatable {
        /// The room for output is full.
        case outputFull
        /// All input is used up.
        case needsInput
        /// The stream is complete and its check value right.
        case end
        /// The stream is complete; its check value is wrong.
        case wrongChecksum
        /// What comes next is no deflate data.
        case corrupt
    }

    // zlib keeps a pointer to its stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var final: Status?

    init() throws(ImageError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            throw ImageError(.outOfMemory, "memory for zlib could not be had")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Unpacks from `input` to `output` as far as both reach.
    /// - Returns: How many bytes were used and made, and why there are no more.
    func inflate(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> (used: Int, made: Int, status: Status) {
        if let final { return (0, 0, final) }
        let (inputCount, outputCount) = (min(input.count, 1 << 30), min(output.count, 1 << 30))
        // zlib reads no further than the counts say and writes no further than the room; neither outlives the call.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(inputCount)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(outputCount)
        let result = CTesseraLibZ.inflate(stream, Z_NO_FLUSH)
        let used = inputCount - Int(stream.pointee.avail_in)
        let made = outputCount - Int(stream.pointee.avail_out)
        let status: Status
        switch result {
        case Z_STREAM_END: status = .end
        case Z_OK, Z_BUF_ERROR: status = made == outputCount ? .outputFull : .needsInput
        default:
            // The message is zlib's only way to tell the two apart.
            let message = stream.pointee.msg.map { String(cString: $0) }
            status = message == "incorrect data check" ? .wrongChecksum : .corrupt
        }
        if status != .outputFull, status != .needsInput { final = status }
        return (used, made, status)
    }

    /// Unpacks a small stream that is all there; nil when it is wrong or unpacks to more than `limit` bytes.
    static func unpack(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        guard let inflater = try? PNGInflater() else { return nil }
        var unpacked: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 15)
        return bytes.withUnsafeBufferPointer { input -> [UInt8]? in
            var rest = input
            while true {
                let (used, made, status) = piece.withUnsafeMutableBufferPointer { inflater.inflate(rest, into: $0) }
                rest = UnsafeBufferPointer(rebasing: rest[used...])
                guard made <= limit - unpacked.count else { return nil }
                unpacked.append(contentsOf: piece[..<made])
                switch status {
                case .end: return unpacked
                case .outputFull: continue
                default: return nil
                }
            }
        }
    }
}
