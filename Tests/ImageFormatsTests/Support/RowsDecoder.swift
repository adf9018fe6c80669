import ImageFormats
import Raster

/// A session for files of rows. Honours a plan's region.
final class RowsDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    private var bytes: [UInt8] = []
    private var head: RowsHead?
    private var region = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var delivery = PassDelivery.last
    private var isFinished = false
    private var pass = 0
    private var row = 0
    private var hasRestarted = false

    init(options: DecodingOptions) { self.options = options }

    var header: ImageHeader? {
        head.map {
            ImageHeader(
                format: .rows, storedSize: $0.info.size, colorModel: $0.info.format.isGray ? .gray : .rgb,
                bitsPerChannel: $0.info.format.bitsPerChannel, hasAlpha: $0.info.alpha.hasAlpha,
                profile: $0.info.profile, isProgressive: $0.passCount > 1,
                metadata: ImageMetadata(orientation: $0.orientation))
        }
    }

    var prefersWholeInput: Bool { head?.prefersWholeInput ?? false }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard bytes.byteCount > 0 else { return }
        for index in 0..<bytes.byteCount { self.bytes.append(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
        try readHead()
        // A poisoned byte after the rows, for a refusal that comes with good rows in the same piece.
        if let head, self.bytes.count > end(of: head.passCount - 1, in: head) {
            throw ImageError(.corrupt, "bytes after the last row", byteOffset: end(of: head.passCount - 1, in: head))
        }
    }

    func finish() throws(ImageError) {
        isFinished = true
        if head == nil { throw ImageError(.truncated, "the head is not whole", byteOffset: bytes.count) }
    }

    private func readHead() throws(ImageError) {
        guard head == nil, let head = try RowsHead(bytes) else { return }
        try options.limits.check(head.info.size, format: .rows)
        self.head = head
    }

    private func end(of pass: Int, in head: RowsHead) -> Int {
        let rows = head.info.rowByteCount * head.info.size.height
        return head.encoded.count + (pass + 1) * rows
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        var info = head!.info
        try plan.validate(for: info.size)
        region = plan.region ?? PixelRect(info.size)
        self.delivery = delivery
        if delivery == .last { pass = head!.passCount - 1 }
        info.size = region.size
        return head!.restarts && delivery == .every
            ? BitmapInfo(size: info.size, format: info.format, profile: info.profile) : info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        let head = head!
        guard pass < head.passCount else { return .end }
        if head.restarts, delivery == .every, pass == 1, !hasRestarted, bytes.count > end(of: 0, in: head) {
            hasRestarted = true
            var info = head.info
            info.size = region.size
            return .restart(info)
        }
        let rowByteCount = head.info.rowByteCount
        var count = 0
        while count < rows.count, row < region.height {
            let first = end(of: pass - 1, in: head) + (region.y + row) * rowByteCount
            guard bytes.count >= first + rowByteCount else { break }
            if pass == head.passCount - 1, head.failingRow == row {
                guard count == 0 else { break }
                throw ImageError(.corrupt, "row \(row) is bad", byteOffset: first)
            }
            var target = rows.bytes(count)
            let offset = first + region.x * head.info.format.bytesPerPixel
            for index in 0..<target.byteCount {
                target.storeBytes(of: bytes[offset + index], toByteOffset: index, as: UInt8.self)
            }
            count += 1
            row += 1
        }
        if count > 0 { return .rows(count) }
        if row == region.height {
            row = 0
            pass += 1
            guard delivery == .every, head.passCount > 1 else { return .end }
            return .passComplete(count: pass)
        }
        guard isFinished else { return .needMoreData }
        throw ImageError(.truncated, "row \(row) of pass \(pass) is missing", byteOffset: bytes.count)
    }
}
