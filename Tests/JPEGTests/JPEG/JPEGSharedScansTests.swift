import CTesseraJPEG
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG scans read by two threads")
struct JPEGSharedScansTests {
    private static let jpegtran = CommandLineTool("jpegtran")

    /// All that a decoder says of a file.
    struct Outcome: Equatable {
        var planes: [[UInt8]] = []
        var statuses: [Int32] = []
        var message = ""
        var damage = ""
        var damages: UInt32 = 0
        var offset: UInt64 = 0
        var isTruncated = false
        var rowsBegun: UInt32 = 0
        var scans: UInt32 = 0
        var position: UInt64 = 0
        var ranDry = false
    }

    /// Decodes the planes of `file`, whose first scan's data has begun when its header is read.
    /// - Returns: The outcome, and whether two threads read the scans, if they were to.
    static func decode(
        _ file: [UInt8], sharing: Bool, scale: UInt8 = 8, maximumScans: UInt32 = 100
    ) -> (outcome: Outcome, isShared: Bool) {
        var outcome = Outcome()
        let decoder = tessera_jpeg_decoder_create()!
        defer { tessera_jpeg_decoder_destroy(decoder) }
        var (header, output, decoding) = (tessera_jpeg_header(), tessera_jpeg_output(), tessera_jpeg_decoding())
        (decoding.pixels, decoding.scale) = (UInt8(TESSERA_JPEG_PIXELS_PLANES), scale)
        decoding.maximum_scans = maximumScans
        outcome.statuses.append(tessera_jpeg_decoder_append(decoder, file, file.count))
        tessera_jpeg_decoder_end(decoder)
        outcome.statuses.append(tessera_jpeg_decoder_read_header(decoder, &header))
        let head = Array(file.prefix(Int(tessera_jpeg_decoder_position(decoder))))
        outcome.statuses.append(tessera_jpeg_decoder_start(decoder, &decoding, &output))
        let isShared = sharing && tessera_jpeg_decoder_share_scans(decoder, head, head.count)
        var isComplete = false
        var status = Int32(TESSERA_OK)
        while !isComplete, status == TESSERA_OK {
            status = tessera_jpeg_decoder_advance(decoder, &outcome.scans, &isComplete)
        }
        outcome.statuses.append(status)
        if status == TESSERA_OK {
            outcome.statuses.append(tessera_jpeg_decoder_begin_pass(decoder))
            readPlanes(decoder, output, &outcome)
        }
        var report = tessera_jpeg_report()
        tessera_jpeg_decoder_report(decoder, &report)
        (outcome.damages, outcome.offset) = (report.damages, report.damage_offset)
        (outcome.isTruncated, outcome.rowsBegun) = (report.truncated, report.rows_begun)
        (outcome.position, outcome.ranDry) = (tessera_jpeg_decoder_position(decoder), report.ran_dry)
        outcome.message = String(cString: tessera_jpeg_decoder_message(decoder))
        outcome.damage = String(cString: tessera_jpeg_decoder_damage_message(decoder))
        return (outcome, isShared)
    }

    private static func readPlanes(_ decoder: OpaquePointer, _ output: tessera_jpeg_output, _ outcome: inout Outcome) {
        let count = Int(output.planes)
        let strides = [output.plane_stride.0, output.plane_stride.1, output.plane_stride.2, 0].map(Int.init)
        let heights = [output.plane_strip_height.0, output.plane_strip_height.1, output.plane_strip_height.2, 0]
        let sizes = (0..<4).map { $0 < count ? strides[$0] * Int(heights[$0]) : 0 }
        let buffers = sizes.map { UnsafeMutableBufferPointer<UInt8>.allocate(capacity: $0) }
        defer { for buffer in buffers { buffer.deallocate() } }
        for buffer in buffers { buffer.initialize(repeating: 0) }
        outcome.planes = [[UInt8]](repeating: [], count: count)
        var rows = UInt32(0)
        while tessera_jpeg_decoder_read_strip(decoder, buffers.map(\.baseAddress), strides, &rows) == TESSERA_OK,
            rows > 0
        {
            for index in 0..<count { outcome.planes[index] += buffers[index] }
        }
    }

    /// Decodes in both ways, which mustn't differ.
    @discardableResult
    static func compare(_ file: [UInt8], scale: UInt8 = 8, maximumScans: UInt32 = 100) -> (Outcome, isShared: Bool) {
        var alone = decode(file, sharing: false, scale: scale, maximumScans: maximumScans).outcome
        var (shared, isShared) = decode(file, sharing: true, scale: scale, maximumScans: maximumScans)
        if alone.damages > 0, !alone.ranDry, alone.position < file.count {
            // What breaks off between scans is smoothed by libjpeg-turbo 2.1.5 with values that it has never set: one
            // thread's pixels aren't the same in every run.
            (alone.planes, shared.planes) = ([], [])
        }
        #expect(shared == alone)
        return (alone, isShared)
    }

    /// The coefficients of `file` in other scans.
    static func scans(_ file: [UInt8], _ script: String?, _ arguments: [String] = []) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        var arguments = ["-progressive"] + arguments
        if let script { arguments += ["-scans", try folder.write(Array(script.utf8), to: "scans")] }
        return try #require(try jpegtran.output(arguments + [folder.write(file, to: "picture.jpg")]))
    }

    static let scripts: [String?] = [
        nil,
        // Brightness first, and last.
        "0: 0-0,0,0; 0: 1-63,0,0; 1: 0-0,0,0; 1: 1-63,0,0; 2: 0-0,0,0; 2: 1-63,0,0;",
        "2: 0-0,0,0; 2: 1-63,0,0; 1: 0-0,0,0; 1: 1-63,0,0; 0: 0-0,0,0; 0: 1-63,0,0;",
        // Many bands and many bits.
        "0,1,2: 0-0,0,3; 0: 1-1,0,3; 0: 2-5,0,2; 0: 6-63,0,3; 0: 1-1,3,2; 0: 1-5,2,1; 0,1,2: 0-0,3,2; 1: 1-63,0,1;"
            + "0: 6-63,3,2; 0: 6-63,2,1; 0,1,2: 0-0,2,1; 0: 1-63,1,0; 2: 1-63,0,0; 0,1,2: 0-0,1,0; 1: 1-63,1,0;",
        // Colour refined last.
        "0,1,2: 0-0,0,1; 0: 1-63,0,1; 1: 1-63,0,0; 2: 1-63,0,0; 0: 1-63,1,0; 0,1,2: 0-0,1,0;",
        // Detail of brightness, of one colour, and bits that never come.
        "0,1,2: 0-0,0,0; 0: 1-5,0,0; 1: 1-63,0,0; 2: 1-63,0,0;",
        "0,1,2: 0-0,0,0; 1: 1-63,0,0; 2: 1-63,0,0;",
        "0,1,2: 0-0,0,0; 0: 1-63,0,2; 1: 1-63,0,0; 2: 1-63,0,0; 0: 1-63,2,1;",
        "0,1,2: 0-0,0,0; 0: 1-63,0,0;",
    ]

    @Test(
        "Every scan script gives the planes of one thread, and djpeg's", .needs(jpegtran, DJPEG.tool),
        arguments: scripts)
    func planes(script: String?) throws {
        for (subsampling, size) in [
            ((2, 2), PixelSize(width: 93, height: 161)), ((1, 1), PixelSize(width: 40, height: 57)),
            ((2, 1), PixelSize(width: 17, height: 16)), ((1, 2), PixelSize(width: 8, height: 200)),
            ((4, 1), PixelSize(width: 130, height: 9)), ((2, 2), PixelSize(width: 1, height: 1)),
        ] as [((UInt8, UInt8), PixelSize)] {
            let baseline = JPEGFixture.file(JPEGFixture.Kind(subsampling: subsampling, size: size))
            for arguments in [[], ["-restart", "2B"], ["-restart", "1"]] {
                let file = try Self.scans(baseline, script, arguments)
                let (outcome, isShared) = Self.compare(file)
                #expect(isShared && outcome.damages == 0)
                let expected = try #require(try DJPEG.decode(file, arguments: ["-grayscale"]))
                let stride = (size.width + 7) / 8 * 8
                let rows = (0..<size.height).flatMap {
                    outcome.planes[0][($0 * stride)..<($0 * stride + size.width)]
                }
                #expect(rows == expected.samples)
                for scale in [4, 2, 1] as [UInt8] { Self.compare(file, scale: scale) }
            }
        }
    }

    @Test("Grey, baseline and arithmetic files decode the same", .needs(jpegtran))
    func others() throws {
        let gray = JPEGFixture.file(JPEGFixture.Kind(pixels: TESSERA_JPEG_PIXELS_GRAY8, isProgressive: true))
        #expect(Self.compare(gray).isShared)
        let baseline = JPEGFixture.file(JPEGFixture.Kind())
        #expect(!Self.compare(baseline).isShared)
        #expect(!Self.compare(try Self.scans(baseline, nil, ["-arithmetic"])).isShared)
        // A header that isn't this file's.
        let file = try Self.scans(baseline, nil)
        let decoder = JPEGShimTests.start(file, pixels: TESSERA_JPEG_PIXELS_PLANES, scale: 8).decoder
        defer { tessera_jpeg_decoder_destroy(decoder) }
        #expect(!tessera_jpeg_decoder_share_scans(decoder, file, 100))
    }

    /// What comes before the first scan's tables, and each scan with its tables.
    private static func parts(_ file: [UInt8]) throws -> (head: [UInt8], scans: [[UInt8]]) {
        var scans: [[UInt8]] = []
        var (at, start, head) = (2, 0, [UInt8]())
        while file[at + 1] != 0xD9 {
            let marker = file[at + 1]
            if marker == 0xC4, head.isEmpty { (head, start) = (Array(file[..<at]), at) }
            at += 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
            guard marker == 0xDA else { continue }
            while file[at] != 0xFF || file[at + 1] == 0 || 0xD0...0xD7 ~= file[at + 1] { at += 1 }
            scans.append(Array(file[start..<at]))
            start = at
        }
        return (head, scans)
    }

    @Test("Scans in any order, missing or repeated, decode the same", .needs(jpegtran))
    func orders() throws {
        let baseline = JPEGFixture.file(JPEGFixture.Kind(size: PixelSize(width: 93, height: 161)))
        let (head, scans) = try Self.parts(Self.scans(baseline, nil))
        #expect(scans.count == 10)
        var orders: [[Int]] = (0..<10).map { missing in (0..<10).filter { $0 != missing } }
        orders += (0..<10).map { again in Array(0..<10) + [again] }
        orders += (0..<10).map { first in [first] + Array(0..<10) }
        orders += [Array((0..<10).reversed()), [0], [1], [9], [2, 3], [0, 0, 0], []]
        orders.append((0..<80).map { ($0 * 7) % 10 })
        var random = SeededGenerator(7)
        for _ in 0..<30 { orders.append(Array(0..<10).shuffled(using: &random)) }
        for order in orders {
            Self.compare(head + order.flatMap { scans[$0] } + [0xFF, 0xD9])
            Self.compare(head + order.flatMap { scans[$0] })
        }
        let many = head + (0..<250).flatMap { scans[$0 % 10] } + [0xFF, 0xD9]
        #expect(Self.compare(many).0.statuses.contains(Int32(TESSERA_LIMIT)))
        Self.compare(many, maximumScans: 0)
    }

    @Test("Truncated files, and bytes after the end, decode the same", .needs(jpegtran))
    func lengths() throws {
        let baseline = JPEGFixture.file(JPEGFixture.Kind(size: PixelSize(width: 61, height: 90)))
        for arguments in [[], ["-restart", "3B"]] {
            let file = try Self.scans(baseline, nil, arguments)
            let start = try Self.parts(file).head.count + 300
            for count in stride(from: start, to: file.count, by: 41) { Self.compare(Array(file.prefix(count))) }
            for count in 1...6 { Self.compare(Array(file.dropLast(count))) }
            Self.compare(file + file)
            Self.compare(file.dropLast(2) + file)
        }
    }

    @Test(
        "Damage of every kind at every place decodes the same", .needs(jpegtran), arguments: [[], ["-restart", "3B"]])
    func damage(arguments: [String]) throws {
        let baseline = JPEGFixture.file(JPEGFixture.Kind(size: PixelSize(width: 61, height: 90)))
        let sound = try Self.scans(baseline, Self.scripts[3], arguments)
        let start = try Self.parts(sound).head.count + 300
        var damaged = 0
        var random = SeededGenerator(11)
        let markers: [UInt8] = [0x01, 0x05, 0xBF, 0xC0, 0xC4, 0xD0, 0xD1, 0xD5, 0xD8, 0xD9, 0xDA, 0xDC, 0xE0, 0xFE]
        for place in stride(from: start, to: sound.count - 2, by: 13) {
            var file = sound
            switch place % 4 {
            case 0: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: file[place] = .random(in: 0...255, using: &random)
            case 2: file.insert(contentsOf: [0xFF, markers.randomElement(using: &random)!], at: place)
            default: file.removeSubrange(place..<min(place + .random(in: 1...40, using: &random), file.count - 2))
            }
            if Self.compare(file).0.damages > 0 { damaged += 1 }
        }
        #expect(damaged > 50)
    }
}
