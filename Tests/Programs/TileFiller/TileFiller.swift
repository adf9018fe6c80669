import ImagePyramid
import Raster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Fills tile stores without end, until it is killed: `TileFiller FOLDER|memory [LIMIT]`. Says so by a line on standard
/// output when the first tiles are there. With a limit, in bytes, on the files that it may write, says what came of it.
@main
enum TileFiller {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else { return print("TileFiller FOLDER|memory [LIMIT]") }
        if arguments.count > 2, let bytes = UInt(arguments[2]) {
            var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
            #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #else
            setrlimit(RLIMIT_FSIZE, &limit)
            #endif
        }
        do throws(ImageError) {
            try fill(arguments[1] == "memory" ? .memory : .folder(arguments[1]))
        } catch {
            print("\(error.code): \(error)")
        }
    }

    private static func fill(_ place: RawTileStore.Place) throws(ImageError) {
        let size = PixelSize(width: 2000, height: 2000)
        let picture = try MutableBitmap(BitmapInfo(size: size, format: .rgba8)).freeze()
        var isFirst = true
        while true {
            let store = try RawTileStore(size: size, options: RawTileStore.Options(place: place))
            let writer = try RawTileWriter(store, rows: picture.info)
            try writer.write(picture.rows.extracting(0..<1000))
            if isFirst {
                print("writing")
                // A pipe's reader would wait until the buffer is full.
                fflush(nil)
                isFirst = false
            }
            try writer.write(picture.rows.extracting(1000..<2000))
            try writer.finish()
        }
    }
}
