internal import Platform

/// How much one image looks like another, as SSIMULACRA 2.1 measures it.
///
/// 100 means that the images are identical; with 90, nearly nobody sees a difference even where one image is shown in place
/// of the other; 70 is high quality, 50 medium and 30 low, and below 0 the images hardly look alike. Images with alpha are
/// compared on a dark and on a light background, and the worse score counts.
///
/// The metric is Jon Sneyers' (Cloudinary, 2022 and 2023): errors of structure, added edges and lost edges in the three channels
/// of XYB, at six scales from the images' size to a thirty-second of it. Of each it takes the mean and the 4-norm, whose weights
/// were fitted to people's judgements.
public final class SSIMULACRA2 {
    private let width: Int
    /// For each background, the images in columns.
    private let columns: [SSIMULACRA2Columns]
    /// Greys of 16 bits.
    private let backgrounds: [Int]

    /// Prepares to compare images of `size` in sRGB.
    package init(size: PixelSize, hasAlpha: Bool) {
        width = size.width
        backgrounds = hasAlpha ? [6554, 58982] : [0]
        let ranges = SSIMULACRA2Columns.ranges(width: size.width, count: ImageExecutor.processorCount)
        columns = backgrounds.flatMap { _ in ranges.map { SSIMULACRA2Columns($0, of: size) } }
    }

    /// The score of `image`, at most 100, compared to `original`. Both are in sRGB.
    ///
    /// Memory holds some rows of both. All processors take part.
    /// - Throws: `invalidParameter` if the sizes differ, `outOfMemory`, and the errors of the rows.
    public static func score(of image: any RowSource, comparedTo original: any RowSource) throws(ImageError) -> Double {
        let size = original.info.size
        guard image.info.size == size else {
            throw ImageError(
                .invalidParameter, "can't compare images of different sizes, \(size) and \(image.info.size)")
        }
        let isDeep = max(original.info.format.bitsPerChannel, image.info.format.bitsPerChannel) > 8
        func comparable(_ rows: any RowSource) throws(ImageError) -> any RowSource {
            try rows.converted(
                to: isDeep ? .rgba16 : .rgba8, alpha: rows.info.alpha.hasAlpha ? .premultiplied : .none)
        }
        let (first, second) = (try comparable(original), try comparable(image))
        var firstRows = try MutableBitmap(uninitialized: first.info.strip(byteCount: stripByteCount))
        var secondRows = try MutableBitmap(uninitialized: second.info.strip(byteCount: stripByteCount))
        let meter = SSIMULACRA2(size: size, hasAlpha: first.info.alpha.hasAlpha || second.info.alpha.hasAlpha)
        var rowsLeft = size.height
        while rowsLeft > 0 {
            let count = min(rowsLeft, firstRows.info.size.height)
            try firstRows.withMutableRows(0..<count) { (rows) throws(ImageError) in try first.fill(&rows) }
            try secondRows.withMutableRows(0..<count) { (rows) throws(ImageError) in try second.fill(&rows) }
            meter.add(firstRows.rows.extracting(0..<count), secondRows.rows.extracting(0..<count))
            rowsLeft -= count
        }
        return meter.finish()
    }

    private static let stripByteCount = 1 << 19

    /// Adds the next rows of the original and of the image compared to it: both `rgba8` or both `rgba16`, with colours
    /// multiplied by alpha.
    package func add(_ original: borrowing PixelRows, _ image: borrowing PixelRows) {
        precondition(original.format == image.format && original.count == image.count)
        precondition(original.width == width && image.width == width)
        let columnCount = columns.count / backgrounds.count
        let rowCount = original.count
        var linear = [Float](repeating: 0, count: 6 * width * rowCount)
        for (index, background) in backgrounds.enumerated() {
            for y in 0..<rowCount {
                let start = 6 * width * y
                Self.fill(&linear, at: start, original, y, on: background)
                Self.fill(&linear, at: start + 3 * width, image, y, on: background)
            }
            let first = columnCount * index
            Rounds.perform(threadCount: columnCount, jobCount: columnCount) { column in
                columns[first + column].add(linear, rowCount: rowCount)
            }
        }
    }

    private static func fill(
        _ linear: inout [Float], at start: Int, _ rows: borrowing PixelRows, _ y: Int, on background: Int
    ) {
        if rows.format == .rgba8 {
            fill(&linear, at: start, rows.row(y, as: RGBA8.self), on: background) { pixel in
                SIMD4(Int(pixel.red), Int(pixel.green), Int(pixel.blue), Int(pixel.alpha)) &* 257
            }
        } else {
            fill(&linear, at: start, rows.row(y, as: RGBA16.self), on: background) { pixel in
                SIMD4(Int(pixel.red), Int(pixel.green), Int(pixel.blue), Int(pixel.alpha))
            }
        }
    }

    /// Writes a row in linear light, first all reds, then all greens, then all blues.
    private static func fill<P>(
        _ linear: inout [Float], at start: Int, _ row: Span<P>, on background: Int, _ channels: (P) -> SIMD4<Int>
    ) {
        let light = TransferCurve.light
        for x in 0..<row.count {
            let channels = channels(row[x])
            // As much of the background shows as alpha lets through.
            let behind = background * (65535 - channels[3]) / 65535
            for channel in 0..<3 {
                linear[start + channel * row.count + x] = light[min(channels[channel] + behind, 65535)]
            }
        }
    }

    /// The score, once all rows have been added.
    package func finish() -> Double {
        for column in columns { column.finish() }
        let columnCount = columns.count / backgrounds.count
        return backgrounds.indices.map { index in
            Self.score(Array(columns[columnCount * index..<columnCount * (index + 1)]))
        }.min() ?? 100
    }

    /// The score of an image in columns.
    private static func score(_ columns: [SSIMULACRA2Columns]) -> Double {
        let scaleCount = columns[0].scales.count
        var error = 0.0
        for channel in 0..<3 {
            for index in 0..<scaleCount {
                let scales = columns.map { $0.scales[index] }
                let pixelCount = Double(scales[0].size.width) * Double(scales[0].size.height)
                // Means and 4-norms of the three errors. Small images have fewer scales, and use the first weights.
                let weights = Self.weights.dropFirst(6 * (channel * scaleCount + index)).prefix(6)
                for (kind, weight) in zip([0, 2, 4, 1, 3, 5], weights) {
                    let mean = scales.reduce(0) { $0 + $1.sums[6 * channel + kind] } / pixelCount
                    error += weight * (kind % 2 == 0 ? mean : mean.squareRoot().squareRoot())
                }
            }
        }
        error *= 0.9562382616834844
        error *= 2.326765642916932 + error * (error * 6.248496625763138e-05 - 0.020884521182843837)
        return error > 0 ? 100 - 10 * pow(error, 0.6276336467831387) : 100
    }

    /// For each channel and scale, the weights of the errors of structure, added edges and lost edges: of their means, and of
    /// their 4-norms.
    package static let weights: [Double] = [
        0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0,
        0, 0.0004371155730107379, 0, 1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,
        0, 0.0016406437456599754, 0, 1.8422455520539298, 11.441172603757666, 0,
        0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387, 10.94906990605142, 0,
        0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884, 0.9981766977854967,
        0.00031949755934435053,
        0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0,

        0, 0, 0, 7.466890328078848, 0, 17.445833984131262,
        0.0006235601634041466, 0, 0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264,
        225.20515300849274, 0, 0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985,
        176.39317598450694, 0, 0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
        0, 0, 0, 34.77906344483772, 44.835625328877896, 0,
        0, 0, 0, 0, 0, 0,

        0, 0.0008680556573291698, 0, 0, 0, 0,
        0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0,
        0, 0, 0, 0.0004179171803251336, 0.0017290828234722833, 0,
        0.0020827005846636437, 0, 0, 8.826982764996862, 23.19243343998926, 0,
        95.1080498811086, 0.9863978034400682, 0.9834382792465353,
        0.0012286405048278493, 171.2667255897307, 0.9807858872435379,
        0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537,
    ]
}
