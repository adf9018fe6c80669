internal import CTesseraSystem
package import Raster

/// A request to a worker.
package enum Request: Hashable, Sendable {
    /// Begin a still image or an animation. The previous one is abandoned.
    case begin(Beginning)
    /// Append the first `byteCount` bytes of the shared memory.
    case append(byteCount: Int)
    /// Note that there are no more bytes.
    case finish
    /// Start decoding an image with this plan.
    case start(DecodingPlan, PassDelivery)
    /// Put at most `rowCount` rows into the shared memory, as laid out by `SharedLayout`.
    case read(rowCount: Int)
    /// Start decoding an animation.
    case startAnimation
    /// Decode the frame with this index.
    case decodeFrame(Int)
    /// Put these rows of the decoded frame into the shared memory.
    case frameRows(Range<Int>)
    /// Use this many bytes of the shared memory from now on.
    case share(byteCount: Int)
    /// Abandon the image. There is no reply.
    case end
    /// Use this many processors from now on. There is no reply.
    case processors(Int)

    /// The data needed to begin an image.
    package struct Beginning: Hashable, Sendable {
        package var isAnimation: Bool
        /// The type identifier of the format, which selects the codec.
        package var format: String
        package var options: DecodingOptions
        /// The size of the file in bytes, if known.
        package var totalByteCount: Int?
        /// The last bytes of the file.
        package var suffix: [UInt8]

        package init(
            isAnimation: Bool, format: String, options: DecodingOptions, totalByteCount: Int?, suffix: [UInt8]
        ) {
            self.isAnimation = isAnimation
            self.format = format
            self.options = options
            self.totalByteCount = totalByteCount
            self.suffix = suffix
        }
    }

    /// The request encoded as a message.
    package var message: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .begin(let beginning):
            writer.write(UInt8(TESSERA_REQUEST_BEGIN))
            writer.write(beginning.isAnimation)
            writer.write(beginning.format)
            writer.write(beginning.options)
            writer.write(beginning.totalByteCount) { $0.write($1) }
            writer.write(beginning.suffix)
        case .append(let count):
            writer.write(UInt8(TESSERA_REQUEST_APPEND))
            writer.write(count)
        case .finish:
            writer.write(UInt8(TESSERA_REQUEST_FINISH))
        case .start(let plan, let delivery):
            writer.write(UInt8(TESSERA_REQUEST_START))
            writer.write(plan)
            writer.write(delivery == .every)
        case .read(let count):
            writer.write(UInt8(TESSERA_REQUEST_READ))
            writer.write(count)
        case .startAnimation:
            writer.write(UInt8(TESSERA_REQUEST_START_ANIMATION))
        case .decodeFrame(let index):
            writer.write(UInt8(TESSERA_REQUEST_DECODE_FRAME))
            writer.write(index)
        case .frameRows(let range):
            writer.write(UInt8(TESSERA_REQUEST_FRAME_ROWS))
            writer.write(range.lowerBound)
            writer.write(range.count)
        case .share(let count):
            writer.write(UInt8(TESSERA_REQUEST_SHARE))
            writer.write(count)
        case .end:
            writer.write(UInt8(TESSERA_REQUEST_END))
        case .processors(let count):
            writer.write(UInt8(TESSERA_REQUEST_PROCESSORS))
            writer.write(count)
        }
        return writer.bytes
    }

    /// Parses the request in `message`.
    package init(_ message: [UInt8]) throws(ImageError) {
        var reader = MessageReader(message)
        switch Int(try reader.byte()) {
        case TESSERA_REQUEST_BEGIN:
            let isAnimation = try reader.bool()
            let format = try reader.string(limit: 256)
            let options = try reader.options()
            let total = try reader.optional { (reader) throws(ImageError) in try reader.int() }
            self = .begin(
                Beginning(
                    isAnimation: isAnimation, format: format, options: options, totalByteCount: total,
                    suffix: try reader.array(limit: 4096)))
        case TESSERA_REQUEST_APPEND: self = .append(byteCount: try reader.int())
        case TESSERA_REQUEST_FINISH: self = .finish
        case TESSERA_REQUEST_START:
            let plan = try reader.plan()
            self = .start(plan, try reader.bool() ? .every : .last)
        case TESSERA_REQUEST_READ: self = .read(rowCount: try reader.int())
        case TESSERA_REQUEST_START_ANIMATION: self = .startAnimation
        case TESSERA_REQUEST_DECODE_FRAME: self = .decodeFrame(try reader.int())
        case TESSERA_REQUEST_FRAME_ROWS:
            let first = try reader.int(in: 0...Int(Int32.max))
            self = .frameRows(first..<(first + (try reader.int(in: 0...Int(Int32.max)))))
        case TESSERA_REQUEST_SHARE: self = .share(byteCount: try reader.int())
        case TESSERA_REQUEST_END: self = .end
        case TESSERA_REQUEST_PROCESSORS: self = .processors(try reader.int())
        default: throw MessageReader.failure
        }
        try MessageReader.require(reader.isAtEnd)
    }
}
