import ImageFormats
internal import Platform
import Raster

let usage = "Usage: jpngtool inputfile [outputfile] [quality]"
let help = """
    Converts a picture to JPNG: a JPEG for the colours, a mask for the transparency.

    \(usage)

      inputfile    The picture, in any format that can be read here; ideally a PNG with transparency.
      outputfile   The JPNG to write; by default the input with its extension replaced by .jpng.
                   Missing folders are made. A file that is there already is replaced without a word.
      quality      Of the colours, above 0 to 1; by default 0.8. Times 100 it is libjpeg's quality.
                   The original jpngtool used Apple's scale, where 0.8 is about 0.94 here: give 0.94
                   for its look. Transparency is kept exactly at any quality.

      --help       Prints this.
      --version    Prints the version.

    To convert a folder full of pictures:

      find ./ -name \\*.png | sed 's/\\.png//g' | xargs -I % -n 1 jpngtool %.png %.jpng 0.8

    Exit status: 0 when the JPNG was written, 1 when it wasn't, 64 for a command line that makes no sense.
    """

func fail(_ message: String, status: CInt) -> Never {
    let line = Array("jpngtool: \(message)\n".utf8)
    // An error of writing to standard error can't be reported.
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(status)
}

var arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "--help", "-h":
    print(help)
    exit(0)
case "--version":
    print("jpngtool 0.1.0")
    exit(0)
case "--":
    arguments.removeFirst()
case let option? where option.hasPrefix("--"):
    fail("there is no option \(option)\n\(usage)", status: 64)
default:
    break
}

do {
    try Conversion(arguments: arguments).run()
} catch let error as Conversion.UsageError {
    fail("\(error.message)\n\(usage)", status: 64)
} catch {
    fail("\(error)", status: 1)
}
