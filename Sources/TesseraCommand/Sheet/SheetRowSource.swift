internal import Dispatch
internal import ImageFormats
internal import Raster
internal import Synchronization
internal import Tessera

/// A picture on a contact sheet, and the text below it.
struct SheetPicture: Sendable {
    let path: String
    let caption: String
}

/// The rows of a contact sheet. The pictures of a row of cells are decoded concurrently when its first row is read, so
/// memory holds one row of cells.
final class SheetRowSource: RowSource {
    let info: BitmapInfo
    /// The number of pictures that couldn't be read so far.
    private(set) var failureCount = 0
    private let pictures: [SheetPicture]
    private let layout: SheetLayout
    private let background: RGBA8
    private let options: DecodingOptions
    private let registry: CodecRegistry
    private let report: (String?) -> Void
    /// The rows being read; nil at the start if there is no space above the first row of cells.
    private var band: Bitmap?
    private var bandRow = 0
    /// The next row of cells.
    private var row = 0

    /// Prepares the sheet; no picture is read yet.
    /// - Parameter report: Called for each picture that has been read, with a line for the user if it failed.
    /// - Throws: `outOfMemory` if there is no memory for a row of cells.
    init(
        _ pictures: [SheetPicture], layout: SheetLayout, background: RGBA8, options: DecodingOptions,
        registry: CodecRegistry, report: @escaping (String?) -> Void
    ) throws(ImageError) {
        (self.pictures, self.layout, self.background, self.options) = (pictures, layout, background, options)
        (self.registry, self.report) = (registry, report)
        info = BitmapInfo(size: layout.size, format: .rgba8, alpha: .none)
        if layout.gap > 0 { band = try blank(height: layout.gap).freeze() }
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        if band.map({ $0.height == bandRow }) ?? true {
            guard row < layout.rowCount else { return 0 }
            band = try makeBand(row)
            bandRow = 0
            row += 1
        }
        guard let band else { return 0 }
        let count = min(rows.count, band.height - bandRow)
        for y in 0..<count {
            let source = band.rows.row(bandRow + y, as: RGBA8.self)
            var target = rows.row(y, as: RGBA8.self)
            for x in 0..<source.count { target[x] = source[x] }
        }
        bandRow += count
        return count
    }

    /// Returns rows of the sheet's width in the background's colour.
    private func blank(height: Int) throws(ImageError) -> MutableBitmap {
        let size = PixelSize(width: layout.size.width, height: height)
        var band = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: .rgba8, alpha: .none))
        var rows = band.mutableRows
        rows.fill(PixelRect(size), with: background)
        return band
    }

    /// Draws a row of cells with the captions and the space below.
    private func makeBand(_ row: Int) throws(ImageError) -> Bitmap {
        let indices = layout.pictures(inRow: row)
        var band = try blank(height: layout.rowHeight)
        var rows = band.mutableRows
        for (column, picture) in try thumbnails(indices).enumerated() {
            guard let picture else { continue }
            rows.draw(
                picture, atX: layout.left(ofColumn: column) + (layout.cell.width - picture.width) / 2,
                y: (layout.cell.height - picture.height) / 2)
        }
        if layout.captionHeight > 0 {
            let captions = SheetCaptions(
                indices.map { pictures[$0].caption }, layout: layout, isOnDark: background.luma < 128)
            rows.draw(try captions.makeBitmap(registry), atX: 0, y: layout.cell.height)
        }
        return band.freeze()
    }

    /// Decodes pictures concurrently; nil for those that can't be read, which are reported.
    private func thumbnails(_ indices: Range<Int>) throws(ImageError) -> [Bitmap?] {
        let (pictures, cell, options, registry) = (pictures, layout.cell, options, registry)
        let results = Mutex<[Int: Result<Bitmap, ImageError>]>([:])
        DispatchQueue.concurrentPerform(iterations: indices.count) { index in
            let path = pictures[indices.lowerBound + index].path
            let result = Result<Bitmap, ImageError> { () throws(ImageError) in
                let image = try Image(path: path, options: options, registry: registry)
                return try image.thumbnail(fitting: cell).bitmap().converted(to: .rgba8, alpha: .premultiplied)
            }
            results.withLock { $0[index] = result }
        }
        return results.withLock { $0 }.sorted { $0.key < $1.key }.map { index, result in
            switch result {
            case .success(let bitmap):
                report(nil)
                return bitmap
            case .failure(let error):
                failureCount += 1
                // Errors of opening a path begin with it.
                let path = pictures[indices.lowerBound + index].path
                let isNamed = error.message.hasPrefix(path)
                report(
                    "Error: \(isNamed ? LimitsArguments.namingOptions(in: "\(error)") : error.message(about: .file(path)))\n"
                )
                return nil
            }
        }
    }
}

extension MutablePixelRows {
    /// Draws a bitmap of premultiplied RGBA over opaque rows, as far as it lies in them.
    fileprivate mutating func draw(_ picture: Bitmap, atX left: Int, y top: Int) {
        for y in 0..<min(picture.height, count - top) {
            let source = picture.rows.row(y, as: RGBA8.self)
            var target = row(top + y, as: RGBA8.self)
            for x in 0..<min(picture.width, target.count - left) {
                let (over, under) = (source[x], target[left + x])
                let rest = 255 - Int(over.alpha)
                func mixed(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(min(255, Int(a) + (Int(b) * rest + 127) / 255)) }
                target[left + x] = RGBA8(
                    mixed(over.red, under.red), mixed(over.green, under.green), mixed(over.blue, under.blue))
            }
        }
    }
}

extension RGBA8 {
    /// Luma by Rec. 601, 0 to 255.
    fileprivate var luma: Int { (299 * Int(red) + 587 * Int(green) + 114 * Int(blue)) / 1000 }
}
