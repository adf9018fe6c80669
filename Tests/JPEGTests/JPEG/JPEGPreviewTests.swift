import ImageFormats
import ImageFormatsTestSupport
import JPEGBitstream
import Raster
import Testing

@Suite("JPEG previews")
struct JPEGPreviewTests {
    /// The pictures after each pass that can be seen when the file comes in pieces of `step` bytes.
    private func previews(of bytes: [UInt8], step: Int, plan: DecodingPlan) throws -> [Int: [UInt8]] {
        let source = ImageSource(plan: plan)
        var previews: [Int: [UInt8]] = [:]
        for start in stride(from: 0, to: bytes.count, by: step) {
            let events = try source.append(Array(bytes[start..<min(bytes.count, start + step)]))
            let passes = events.compactMap { (event) -> Int? in
                if case .pass(let count) = event { count } else { nil }
            }
            guard let last = passes.last else { continue }
            previews[last] = try source.currentBitmap()?.tightBytes()
        }
        try source.finish()
        return previews
    }

    @Test("Previews don't depend on how the bytes are split", arguments: [1, 8])
    func previewsDoNotDependOnTheSplit(eighths: Int) throws {
        let size = PixelSize(width: 96, height: 80)
        let bytes = try ImageDestination(
            format: .jpeg, options: EncodingOptions(jpeg: .init(isProgressive: true))
        ).encode(Bitmap.grainy(size))
        let target = PixelSize(width: size.width * eighths / 16, height: size.height * eighths / 16)
        let plan = DecodingPlan(targetSize: target)
        let all = try previews(of: bytes, step: 1, plan: plan)
        // libjpeg's script for three components has ten scans; the last one is the picture. An eighth has the same pixels
        // after the scans of luma's AC coefficients as before.
        #expect(all.keys.sorted() == (eighths == 1 ? [1, 3, 4, 7, 8, 9] : Array(1...9)))
        for step in [2, 13, 100, 700] {
            let seen = try previews(of: bytes, step: step, plan: plan)
            #expect(!seen.isEmpty)
            for (pass, pixels) in seen {
                let last = all.keys.filter { $0 <= pass }.max()
                #expect(last.map { pixels == all[$0] } == true, "pass \(pass) in pieces of \(step)")
            }
        }
    }

    @Test("Passes that arrive together are one")
    func passesTogether() throws {
        let bytes = try ImageDestination(
            format: .jpeg, options: EncodingOptions(jpeg: .init(isProgressive: true))
        ).encode(Bitmap.grainy(PixelSize(width: 96, height: 80)))
        let source = ImageSource()
        let structure = JPEGStructure(of: bytes.span.bytes)
        let events = try source.append(Array(bytes[..<structure.scans[9].dataOffset]))
        #expect(events.filter { if case .pass = $0 { true } else { false } } == [.pass(9)])
        let shown = try source.currentBitmap()?.tightBytes()
        #expect(try shown == previews(of: bytes, step: 1, plan: .full)[9])
    }

    /// The distance of each preview from the picture, which scans are there to lessen.
    @Test("Every preview is closer to the image")
    func everyPreviewIsNearerToThePicture() throws {
        let bytes = try ImageDestination(
            format: .jpeg, options: EncodingOptions(quality: 0.9, jpeg: .init(isProgressive: true))
        ).encode(Bitmap.grainy(PixelSize(width: 160, height: 120)))
        let picture = try ImageSource.decode(bytes).bitmap.tightBytes()
        let previews = try previews(of: bytes, step: 1, plan: .full)
        var last = Int.max / 2
        for (_, pixels) in previews.sorted(by: { $0.key < $1.key }) {
            let distance = zip(pixels, picture).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(distance < last + last / 20)
            last = distance
        }
        #expect(last > 0)
    }
}
