import CTesseraJPEG
import TestSupport
import Testing

/// Files whose coefficients come in other scans, and what libjpeg makes of them.
enum JPEGScans {
    static let jpegtran = CommandLineTool("jpegtran")

    /// The coefficients of `file` in other scans.
    static func file(_ file: [UInt8], _ script: String?, _ arguments: [String] = []) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        var arguments = ["-progressive"] + arguments
        if let script { arguments += ["-scans", try folder.write(Array(script.utf8), to: "scans")] }
        return try #require(try jpegtran.output(arguments + [folder.write(file, to: "picture.jpg")]))
    }

    /// The same coefficients in one scan, of those that `file` has.
    static func sequential(_ file: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        return try #require(
            try jpegtran.output(["-optimize", folder.write(file, to: "picture.jpg")], successes: [0, 2]))
    }

    /// A file of CMYK whose Adobe segment says that it is YCCK.
    static func asYCCK(_ file: [UInt8]) throws -> [UInt8] {
        var file = file
        let name = Array("Adobe".utf8)
        let place = try #require((0..<200).first { file[$0..<($0 + 5)].elementsEqual(name) })
        file[place + 11] = 2
        return file
    }

    /// A random legal script of progressive scans.
    static func script(components: Int, _ random: inout SeededGenerator) -> String {
        var queues: [[String]] = []
        func add(_ names: String, _ band: String) {
            let low = Int.random(in: 0...3, using: &random)
            var queue = ["\(names): \(band),0,\(low);"]
            for bit in (0..<low).reversed() { queue.append("\(names): \(band),\(bit + 1),\(bit);") }
            queues.append(queue)
        }
        // DC comes first, of all components at once or of each alone.
        if Bool.random(using: &random) {
            add((0..<components).map(String.init).joined(separator: ","), "0-0")
        } else {
            for index in 0..<components { add("\(index)", "0-0") }
        }
        var script = queues.indices.map { queues[$0].removeFirst() }
        for index in 0..<components {
            var start = 1
            while start < 64 {
                let end = Bool.random(using: &random) ? 63 : min(63, start + Int.random(in: 0...20, using: &random))
                add("\(index)", "\(start)-\(end)")
                start = end + 1
            }
        }
        while let queue = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) {
            script.append(queues[queue].removeFirst())
        }
        return script.joined(separator: " ")
    }

    /// The pixels that libjpeg makes of `file` at a number of eighths: grey, RGBA or CMYK.
    static func decode(_ file: [UInt8], pixels: Int, eighths: UInt8) -> [UInt8] {
        let (decoder, output) = JPEGShimTests.start(file, pixels: pixels, scale: eighths)
        defer { tessera_jpeg_decoder_destroy(decoder) }
        let stride = Int(output.width) * (pixels == TESSERA_JPEG_PIXELS_GRAY8 ? 1 : 4)
        var samples = [UInt8](repeating: 0, count: stride * Int(output.height))
        var rows = UInt32(0)
        #expect(tessera_jpeg_decoder_read_rows(decoder, &samples, stride, output.height, &rows) == TESSERA_OK)
        #expect(rows == output.height)
        return samples
    }

    /// The bytes of a file up to the end of its scan with this number, from 1, and an end-of-image marker.
    static func prefix(_ file: [UInt8], scans count: Int) -> [UInt8] {
        var at = 2
        var scans = 0
        while scans < count {
            let marker = file[at + 1]
            at += 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
            guard marker == 0xDA else { continue }
            while file[at] != 0xFF || file[at + 1] == 0 || 0xD0...0xD7 ~= file[at + 1] { at += 1 }
            scans += 1
        }
        return file[..<at] + [0xFF, 0xD9]
    }
}
