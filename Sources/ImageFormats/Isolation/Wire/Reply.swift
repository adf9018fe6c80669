internal import CTesseraSystem
package import Raster

/// A worker's reply: newly available information, and the outcome of the request.
package struct Reply: Sendable {
    /// The outcome of a request.
    package enum Outcome: Sendable {
        /// The request succeeded.
        case done
        /// The request succeeded, and pixels have these properties from now on.
        case started(BitmapInfo)
        /// The result of reading rows.
        case read(RowDelivery)
        /// The request failed.
        case failed(ImageError)
    }

    /// The header, if it is new or has changed.
    package var header: ImageHeader?
    /// Whether decoding is faster if all bytes are available first.
    package var prefersWholeInput = false
    /// The new frames.
    package var frames: [AnimationFrame] = []
    /// The outcome of the request.
    package var outcome = Outcome.done

    /// The exit status of a worker that can't confine itself, which sends no reply.
    package static let unconfinedStatus: CInt = 77

    package init() {}

    /// The reply as a message.
    package var message: [UInt8] {
        var writer = MessageWriter()
        writer.write(header) { $0.write($1) }
        writer.write(prefersWholeInput)
        writer.write(frames.count)
        for frame in frames { writer.write(frame) }
        switch outcome {
        case .done:
            writer.write(UInt8(TESSERA_OUTCOME_DONE))
        case .started(let info):
            writer.write(UInt8(TESSERA_OUTCOME_STARTED))
            writer.write(info)
        case .read(let delivery):
            writer.write(UInt8(TESSERA_OUTCOME_READ))
            Self.write(delivery, &writer)
        case .failed(let error):
            writer.write(UInt8(TESSERA_OUTCOME_FAILED))
            writer.write(error)
        }
        return writer.bytes
    }

    private static func write(_ delivery: RowDelivery, _ writer: inout MessageWriter) {
        switch delivery {
        case .rows(let count):
            writer.write(UInt8(TESSERA_READ_ROWS))
            writer.write(count)
        case .needMoreData:
            writer.write(UInt8(TESSERA_READ_NEEDS_DATA))
        case .passComplete(let count):
            writer.write(UInt8(TESSERA_READ_PASS))
            writer.write(count)
        case .restart(let info):
            writer.write(UInt8(TESSERA_READ_RESTART))
            writer.write(info)
        case .end:
            writer.write(UInt8(TESSERA_READ_END))
        }
    }

    /// Parses the reply in `message`, which isn't trusted.
    /// - Parameters:
    ///   - limits: The limits for the header and frames.
    ///   - canvas: The size that frames must lie within, if the header was received earlier.
    package init(_ message: [UInt8], limits: DecodingLimits, canvas: PixelSize?) throws(ImageError) {
        var reader = MessageReader(message)
        header = try reader.optional { (reader) throws(ImageError) in try reader.header(limits) }
        prefersWholeInput = try reader.bool()
        let count = try reader.int(in: 0...Int(Int32.max))
        for _ in 0..<count {
            guard let size = header?.storedSize ?? canvas else { throw MessageReader.failure }
            frames.append(try reader.frame(in: size))
        }
        switch Int(try reader.byte()) {
        case TESSERA_OUTCOME_DONE: outcome = .done
        case TESSERA_OUTCOME_STARTED: outcome = .started(try reader.info(profileLimit: limits.maximumMetadataByteCount))
        case TESSERA_OUTCOME_READ: outcome = .read(try Self.delivery(&reader, limits))
        case TESSERA_OUTCOME_FAILED: outcome = .failed(try reader.error())
        default: throw MessageReader.failure
        }
        try MessageReader.require(reader.isAtEnd)
    }

    private static func delivery(
        _ reader: inout MessageReader, _ limits: DecodingLimits
    ) throws(ImageError) -> RowDelivery {
        switch Int(try reader.byte()) {
        case TESSERA_READ_ROWS: return .rows(try reader.int(in: 1...Int(Int32.max)))
        case TESSERA_READ_NEEDS_DATA: return .needMoreData
        case TESSERA_READ_PASS: return .passComplete(count: try reader.int(in: 0...Int(Int32.max)))
        case TESSERA_READ_RESTART: return .restart(try reader.info(profileLimit: limits.maximumMetadataByteCount))
        case TESSERA_READ_END: return .end
        default: throw MessageReader.failure
        }
    }
}
