import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport

/// An animated PNG file put together from random pictures, by the book and without any of the code under test.
struct APNGFixture {
    var size: PixelSize
    /// One picture per frame, all of one colour type, depth, palette and transparency.
    var pictures: [PNGFixture] = []
    var frames: [AnimationFrame] = []
    /// The picture for programs that know nothing of animations, where it isn't the first frame.
    var poster: PNGFixture?
    var playCount = 0
    var announcedCount: Int?
    /// Milliseconds as numerator and denominator; nil for thousandths.
    var delay: (Int, Int)?
    /// Changes to a frame's control chunk before its checksum is made.
    var changeControl: (Int, inout [UInt8]) -> Void = { _, _ in }
    /// Added to the number of the chunk of this index.
    var wrongNumber: Int?

    init(
        _ size: PixelSize, count: Int, colorType: Int, bitDepth: Int, isInterlaced: Bool = false, isKeyed: Bool = false,
        hasPoster: Bool = false, seed: UInt64
    ) {
        self.size = size
        var random = SeededGenerator(seed)
        func picture(_ size: PixelSize, _ index: Int) -> PNGFixture {
            var picture = PNGFixture(
                size.width, size.height, colorType: colorType, bitDepth: bitDepth, isInterlaced: isInterlaced,
                isKeyed: isKeyed, seed: seed * 100 + UInt64(index))
            let first = poster ?? pictures.first
            (picture.palette, picture.transparency) = (
                first?.palette ?? picture.palette, first?.transparency ?? picture.transparency
            )
            return picture
        }
        if hasPoster { poster = picture(size, 99) }
        for index in 0..<count {
            var region = PixelRect(size)
            if index > 0 || hasPoster {
                region.width = Int.random(in: 1...size.width, using: &random)
                region.height = Int.random(in: 1...size.height, using: &random)
                region.x = Int.random(in: 0...(size.width - region.width), using: &random)
                region.y = Int.random(in: 0...(size.height - region.height), using: &random)
            }
            frames.append(
                AnimationFrame(
                    region: region, blending: Bool.random(using: &random) ? .over : .source,
                    disposal: [.keep, .background, .previous].randomElement(using: &random)!,
                    storedDuration: Double(Int.random(in: 0..<300, using: &random)) / 1000))
            pictures.append(picture(region.size, index))
        }
    }

    /// The file.
    var bytes: [UInt8] {
        let first = poster ?? pictures[0]
        let type: [UInt8] = [UInt8(first.bitDepth), UInt8(first.colorType), 0, 0, first.isInterlaced ? 1 : 0]
        var file: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
        file += PNGFixture.chunk("IHDR", PNGFixture.number(size.width) + PNGFixture.number(size.height) + type)
        let count = announcedCount ?? frames.count
        file += PNGFixture.chunk("acTL", PNGFixture.number(count) + PNGFixture.number(playCount))
        if !first.palette.isEmpty { file += PNGFixture.chunk("PLTE", first.palette) }
        if !first.transparency.isEmpty { file += PNGFixture.chunk("tRNS", first.transparency) }
        var next = 0
        func number() -> [UInt8] {
            defer { next += 1 }
            return PNGFixture.number(next + (next == wrongNumber ? 1 : 0))
        }
        if let poster { file += PNGFixture.chunk("IDAT", PNGFixture.zlib(poster.filteredRows)) }
        for (index, frame) in frames.enumerated() {
            let region = frame.region
            var control = [region.width, region.height, region.x, region.y].flatMap(PNGFixture.number)
            let (numerator, denominator) = delay ?? (Int((frame.storedDuration * 1000).rounded()), 1000)
            control += [numerator, denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            control += [
                frame.disposal == .keep ? 0 : frame.disposal == .background ? 1 : 2, frame.blending == .over ? 1 : 0,
            ]
            changeControl(index, &control)
            file += PNGFixture.chunk("fcTL", number() + control)
            let data = PNGFixture.zlib(pictures[index].filteredRows)
            let isImage = index == 0 && poster == nil
            for start in stride(from: 0, to: data.count, by: 100) {
                let piece = Array(data[start..<min(data.count, start + 100)])
                file += isImage ? PNGFixture.chunk("IDAT", piece) : PNGFixture.chunk("fdAT", number() + piece)
            }
        }
        return file + PNGFixture.chunk("IEND", [])
    }

    /// The frames as a flip book, whose composition is done the slow way.
    func book(_ format: PixelFormat) -> FlipBook {
        var book = FlipBook(info: BitmapInfo(size: size, format: format, alpha: .straight))
        book.frames = zip(frames, pictures).map { frame, picture in
            let samples = picture.expected
            let pixels: [UInt8] =
                format == .rgba16
                ? samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
                : samples.map { UInt8((Int($0) * 255 + 32767) / 65535) }
            return (frame, pixels)
        }
        return book
    }
}
