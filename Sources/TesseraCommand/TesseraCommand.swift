internal import ArgumentParser

/// The program `tessera`.
@main
struct TesseraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "Converts, changes, fetches, serves, describes and measures pictures of every common format.",
        discussion: """
            JPNG is a photograph with transparency at a JPEG's size: a JPEG for the colours, a mask behind it, and a \
            footer. Other programs read it as an ordinary JPEG.

            EXAMPLES
              tessera convert cutout.png cutout.jpng
              tessera convert photo.jpg thumbnail.png --size 400x400
              tessera convert party.gif party.webp
              tessera effect photo.jpg card.png --fit 800x600 --radius 20
              tessera batch photos --out 'small/{folder}/{stem}.webp' --recipe '{"size": "400x400"}'
              tessera transform photo.jpg turned.jpg --rotate 90
              tessera optimize website --recursive --in-place
              tessera metadata set photo.jpg --in-place --tag 'Artist=Jane Doe'
              tessera sheet *.jpg sheet.jpg
              tessera animate frame-*.png film.webp --delay 40
              tessera compare photo.png photo.avif
              tessera fetch https://example.org/photo.jpg --size 400x400
              tessera info *.jpng
              tessera tile scan.tif scan.pyramid
              tessera serve ~/Pictures
              tessera warm popular.txt --server http://localhost:8080
              tessera view ~/Pictures
              tessera formats
              tessera jpng verify *.jpng
              tessera cache info ~/.cache/gallery
              tessera bench jpng

            Exit status: 0 on success, 1 if some of the work failed, 64 for invalid arguments.

            Completions: tessera --generate-completion-script bash|zsh|fish
            """,
        version: "tessera 0.1.0",
        subcommands: commands + [
            EffectCommand.self, BatchCommand.self, SheetCommand.self, AnimateCommand.self, CompareCommand.self,
            FetchCommand.self,
            CacheCommand.self, InfoCommand.self,
            TransformCommand.self, OptimizeCommand.self, MetadataCommand.self, TileCommand.self, PreviewCommand.self,
            FormatsCommand.self, JPNGCommand.self, BenchCommand.self,
            ViewCommand.self, DemoCommand.self,
        ])

    private static var commands: [any ParsableCommand.Type] {
        #if Server && HTTP
        [ConvertCommand.self, ServeCommand.self, SignCommand.self, WarmCommand.self]
        #elseif Server
        [ConvertCommand.self, ServeCommand.self, SignCommand.self]
        #else
        [ConvertCommand.self]
        #endif
    }
}
