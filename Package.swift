// swift-tools-version: 6.2
import PackageDescription

// The house, floor by floor: a target imports only from those above it in this file.
// ARCHITECTURE.md says what lives where.

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Rows are lent as ~Escapable views; methods that return such a view need this.
    .enableExperimentalFeature("Lifetimes"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Tessera",
    products: [
        .library(name: "Tessera", targets: ["Tessera"]),
        .library(name: "Raster", targets: ["Raster"]),
        .library(name: "JPNGContainer", targets: ["JPNGContainer"]),
        .library(name: "JPEGBitstream", targets: ["JPEGBitstream"]),
        .library(name: "ImageEffects", targets: ["ImageEffects"]),
        .library(name: "ImageFormats", targets: ["ImageFormats"]),
        .library(name: "ImageIsolation", targets: ["ImageIsolation"]),
        .library(name: "ImageLoading", targets: ["ImageLoading"]),
        .library(name: "ImagePyramid", targets: ["ImagePyramid"]),
        .library(name: "ImageServer", targets: ["ImageServer"]),
        .library(name: "ImageViews", targets: ["ImageViews"]),
        .library(name: "ImageViewsGTK", targets: ["ImageViewsGTK"]),
        .executable(name: "tessera", targets: ["TesseraCommand"]),
        .executable(name: "jpngtool", targets: ["JPNGToolCommand"]),
        .executable(name: "tessera-svg", targets: ["SVGWorkerCommand"]),
        .executable(name: "tessera-decode", targets: ["DecodingWorkerCommand"]),
        .executable(name: "tessera-view", targets: ["TesseraViewer"]),
    ],
    traits: [
        .trait(name: "Commands", description: "The program tessera; without it no outside package is resolved"),
        .trait(name: "HTTP", description: "Loading over HTTP, by async-http-client"),
        .trait(name: "Server", description: "The image server, by Hummingbird"),
        .trait(name: "GTK", description: "Widgets and the viewer, by GTK 4; not among the defaults"),
        .trait(name: "Observability", description: "Adapters for swift-log and swift-metrics"),
        .trait(name: "WebP", description: "WebP, by libwebp"),
        .trait(name: "TIFF", description: "TIFF, by libtiff"),
        .trait(name: "HEIF", description: "HEIF and HEIC, by libheif, which is loaded when first needed"),
        .trait(name: "AVIF", description: "AVIF, by libavif, which is loaded when first needed"),
        .trait(name: "JPEGXL", description: "JPEG XL, by libjxl, which is loaded when first needed"),
        .trait(name: "SVG", description: "SVG, by librsvg in a process of its own"),
        .default(enabledTraits: [
            "Commands", "HTTP", "Server", "Observability", "WebP", "TIFF", "HEIF", "AVIF", "JPEGXL", "SVG",
        ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // MARK: C libraries: a module map each, found by pkg-config
        .systemLibrary(
            name: "CTesseraLibJPEG", pkgConfig: "libjpeg",
            providers: [.apt(["libjpeg-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(
            name: "CTesseraLibZ", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CTesseraLibDeflate", pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
        .systemLibrary(
            name: "CTesseraLibLCMS", pkgConfig: "lcms2",
            providers: [.apt(["liblcms2-dev"]), .brew(["little-cms2"])]),
        .systemLibrary(
            name: "CTesseraLibWebP", pkgConfig: "libwebp",
            providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),
        .systemLibrary(
            name: "CTesseraLibTIFF", pkgConfig: "libtiff-4",
            providers: [.apt(["libtiff-dev"]), .brew(["libtiff"])]),
        .systemLibrary(
            name: "CTesseraLibCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CTesseraLibRSVG", pkgConfig: "librsvg-2.0",
            providers: [.apt(["librsvg2-dev"]), .brew(["librsvg"])]),

        .systemLibrary(
            name: "CTesseraLibGTK", pkgConfig: "gtk4",
            providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),

        // MARK: C: what Swift can't express, or what measured faster
        .target(name: "CTesseraKernels"),
        .target(name: "CTesseraSystem"),
        .target(name: "CTesseraShim"),
        .target(name: "CTesseraJPEG", dependencies: ["CTesseraShim", "CTesseraLibJPEG"]),
        .target(name: "CTesseraWebP", dependencies: ["CTesseraShim", "CTesseraLibWebP"]),
        .target(name: "CTesseraTIFF", dependencies: ["CTesseraShim", "CTesseraLibTIFF"]),
        .target(name: "CTesseraHEIF", dependencies: ["CTesseraShim"]),
        .target(name: "CTesseraAVIF", dependencies: ["CTesseraShim"]),
        .target(name: "CTesseraJXL", dependencies: ["CTesseraShim"]),

        // MARK: Pixels and bytes
        .target(name: "Raster", dependencies: ["CTesseraKernels"], swiftSettings: swiftSettings),
        .target(name: "JPNGContainer", swiftSettings: swiftSettings),
        .target(name: "JPEGBitstream", swiftSettings: swiftSettings),

        // MARK: Effects
        .target(name: "ImageEffects", dependencies: ["Raster", "CTesseraKernels"], swiftSettings: swiftSettings),

        // MARK: Formats
        .target(
            name: "ImageFormats",
            dependencies: [
                "Raster", "JPNGContainer", "JPEGBitstream",
                "CTesseraKernels", "CTesseraSystem", "CTesseraShim", "CTesseraJPEG", "CTesseraLibZ",
                "CTesseraLibDeflate", "CTesseraLibLCMS",
                .target(name: "CTesseraWebP", condition: .when(traits: ["WebP"])),
                .target(name: "CTesseraTIFF", condition: .when(traits: ["TIFF"])),
                .target(name: "CTesseraHEIF", condition: .when(traits: ["HEIF"])),
                .target(name: "CTesseraAVIF", condition: .when(traits: ["AVIF"])),
                .target(name: "CTesseraJXL", condition: .when(traits: ["JPEGXL"])),
            ],
            swiftSettings: swiftSettings),

        // MARK: Decoding in processes that have nothing to lose
        .target(
            name: "ImageIsolation", dependencies: ["Raster", "ImageFormats", "CTesseraSystem"],
            swiftSettings: swiftSettings),
        .target(name: "CTesseraWorker"),
        .target(
            name: "DecodingWorker",
            dependencies: ["Raster", "ImageFormats", "ImageIsolation", "CTesseraSystem", "CTesseraWorker"],
            swiftSettings: swiftSettings),

        // MARK: Pictures larger than memory
        .target(
            name: "ImagePyramid",
            dependencies: [
                "Raster", "JPEGBitstream", "ImageFormats", "CTesseraKernels", "CTesseraSystem", "CTesseraShim",
                "CTesseraJPEG", "CTesseraLibZ", "CTesseraLibDeflate",
            ],
            swiftSettings: swiftSettings),

        // MARK: Loading
        .target(
            name: "ImageLoading",
            dependencies: [
                "Raster", "ImageEffects", "ImageFormats", "CTesseraSystem", "CTesseraLibDeflate",
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Observability"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Observability"])),
            ],
            swiftSettings: swiftSettings),

        // MARK: Views
        .target(
            name: "ImageViews",
            dependencies: ["Raster", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading"],
            swiftSettings: swiftSettings),
        .target(
            name: "CTesseraGTK",
            dependencies: [.target(name: "CTesseraLibGTK", condition: .when(traits: ["GTK"]))],
            exclude: ["interface"]),
        .target(
            name: "ImageViewsGTK",
            dependencies: [
                "Raster", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading", "ImageViews", "CTesseraGTK",
            ],
            swiftSettings: swiftSettings),

        // MARK: The server, and the pages that it hands out
        .target(name: "CTesseraViewer", exclude: ["pages"]),
        .target(
            name: "ImageServer",
            dependencies: [
                "Raster", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading", "JPNGContainer",
                "CTesseraSystem", "CTesseraViewer",
                .target(name: "CTesseraLibCrypto", condition: .when(traits: ["Server"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Server"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["Server"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Server"])),
            ],
            swiftSettings: swiftSettings),

        // MARK: The whole
        .target(
            name: "Tessera",
            dependencies: ["Raster", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading", "ImageViews"],
            swiftSettings: swiftSettings),

        // MARK: Programs
        .target(name: "SamplePictures", dependencies: ["Raster"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "TesseraCommand",
            dependencies: [
                "Tessera", "ImageEffects", "ImageIsolation", "ImageLoading", "ImagePyramid", "ImageServer",
                "JPNGContainer", "JPEGBitstream", "SamplePictures",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Server"])),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Server"])),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["Commands"])),
            ],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "SVGWorkerCommand",
            dependencies: [
                "CTesseraSystem", .target(name: "CTesseraLibRSVG", condition: .when(traits: ["SVG"])),
            ]),
        .executableTarget(
            name: "DecodingWorkerCommand", dependencies: ["ImageIsolation", "DecodingWorker"],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "TesseraViewer",
            dependencies: ["Tessera", "ImageViews", "ImageViewsGTK"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "JPNGToolCommand", dependencies: ["Raster", "ImageFormats"], swiftSettings: swiftSettings),

        // MARK: Tests, one folder per target
        .systemLibrary(
            name: "CTesseraLibPNG", path: "Tests/CTesseraLibPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .target(
            name: "CTesseraPNGOracle", dependencies: ["CTesseraLibPNG"], path: "Tests/CTesseraPNGOracle"),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swiftSettings),
        .target(
            name: "ImageFormatsTestSupport",
            dependencies: ["ImageFormats", "Raster", "CTesseraPNGOracle", "TestSupport"],
            path: "Tests/ImageFormatsTestSupport", swiftSettings: swiftSettings),
        .testTarget(name: "RasterTests", dependencies: ["Raster"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ImageEffectsTests", dependencies: ["ImageEffects", "Raster", "CTesseraKernels", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(name: "JPNGContainerTests", dependencies: ["JPNGContainer"], swiftSettings: swiftSettings),
        .testTarget(
            name: "JPEGBitstreamTests", dependencies: ["JPEGBitstream", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "SamplePicturesTests", dependencies: ["SamplePictures", "Raster"], swiftSettings: swiftSettings),
        // One module per format: they are compiled side by side, and again only where something changed.
        .testTarget(
            name: "ImageFormatsTests",
            dependencies: [
                "ImageFormats", "Raster", "SamplePictures", "CTesseraLibZ", "ImageFormatsTestSupport", "TestSupport",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "PNGTests",
            dependencies: [
                "ImageFormats", "Raster", "CTesseraKernels", "CTesseraLibZ", "ImageFormatsTestSupport", "TestSupport",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "JPEGTests",
            dependencies: [
                "ImageFormats", "Raster", "JPNGContainer", "JPEGBitstream", "SamplePictures", "CTesseraJPEG",
                "ImageFormatsTestSupport", "TestSupport",
            ],
            exclude: ["JPNG/jpng_reader.py"], swiftSettings: swiftSettings),
        .testTarget(
            name: "GIFTests",
            dependencies: ["ImageFormats", "Raster", "SamplePictures", "ImageFormatsTestSupport", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "WebPTests",
            dependencies: ["ImageFormats", "Raster", "SamplePictures", "ImageFormatsTestSupport", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TIFFTests",
            dependencies: ["ImageFormats", "Raster", "ImageFormatsTestSupport", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "HEIFTests",
            dependencies: ["ImageFormats", "Raster", "SamplePictures", "ImageFormatsTestSupport", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "JPEGXLTests",
            dependencies: ["ImageFormats", "Raster", "SamplePictures", "ImageFormatsTestSupport", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "BitmapFormatTests",
            dependencies: ["ImageFormats", "Raster", "ImageFormatsTestSupport", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "SVGTests",
            dependencies: ["ImageFormats", "Raster", "ImageFormatsTestSupport", "TestSupport"],
            swiftSettings: swiftSettings),
        // A process to be killed while it fills a store.
        .executableTarget(
            name: "TileFiller", dependencies: ["ImagePyramid", "Raster"], path: "Tests/TileFiller",
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ImagePyramidTests",
            dependencies: [
                "TileFiller", "ImagePyramid", "ImageFormats", "JPEGBitstream", "Raster", "SamplePictures",
                "CTesseraKernels", "ImageFormatsTestSupport", "TestSupport",
            ],
            swiftSettings: swiftSettings),
        // A process that reads a file made to take all memory, and says how much that was.
        .executableTarget(
            name: "BombDecoder", dependencies: ["ImageFormats", "ImagePyramid", "Raster"], path: "Tests/BombDecoder",
            swiftSettings: swiftSettings),
        .testTarget(
            name: "BombTests", dependencies: ["BombDecoder", "ImageFormats", "CTesseraLibZ", "TestSupport"],
            swiftSettings: swiftSettings),
        // A worker that does what a broken or hostile one may.
        .executableTarget(
            name: "FaultyDecoder", dependencies: ["ImageIsolation", "DecodingWorker"], path: "Tests/FaultyDecoder",
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ImageIsolationTests",
            dependencies: [
                "FaultyDecoder", "ImageIsolation", "ImageFormats", "Raster", "SamplePictures",
                "ImageFormatsTestSupport", "TestSupport", "DecodingWorkerCommand",
            ],
            swiftSettings: swiftSettings),
        .target(
            name: "ImageLoadingTestSupport", dependencies: ["ImageLoading", "ImageFormats", "Raster"],
            path: "Tests/ImageLoadingTestSupport", swiftSettings: swiftSettings),
        // A process to be killed while it writes.
        .executableTarget(
            name: "CacheWriter", dependencies: ["ImageLoading"], path: "Tests/CacheWriter", swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ImageLoadingTests",
            dependencies: [
                "CacheWriter",
                "ImageLoading", "ImageEffects", "ImageFormats", "Raster", "SamplePictures",
                "ImageLoadingTestSupport", "TestSupport",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ImageLoadingHTTPTests",
            dependencies: [
                "ImageLoading", "ImageFormats", "Raster", "SamplePictures", "ImageLoadingTestSupport", "TestSupport",
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["HTTP"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["HTTP"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Observability"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Observability"])),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ImageServerTests",
            dependencies: [
                "ImageServer", "ImagePyramid", "ImageLoading", "ImageEffects", "ImageFormats", "Raster",
                "SamplePictures", "ImageLoadingTestSupport", "ImageFormatsTestSupport", "TestSupport",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ImageViewsTests",
            dependencies: [
                "ImageViews", "ImagePyramid", "ImageLoading",
                "ImageEffects", "ImageFormats", "Raster", "SamplePictures",
                "ImageLoadingTestSupport", "ImageFormatsTestSupport", "TestSupport",
            ],
            swiftSettings: swiftSettings),
        // A window whose clock and hands are a test's.
        .executableTarget(
            name: "ViewScene", dependencies: ["ImageViewsGTK", "CTesseraGTK"], path: "Tests/ViewScene",
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ImageViewsGTKTests",
            dependencies: [
                "ViewScene", "ImageViewsGTK", "ImageViews", "ImageLoading", "ImageFormats", "Raster", "SamplePictures",
                "ImageFormatsTestSupport", "TestSupport", "TesseraViewer",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "JPNGToolCommandTests",
            dependencies: ["Tessera", "JPNGContainer", "SamplePictures", "JPNGToolCommand"],
            swiftSettings: swiftSettings),
        // A process that answers as the server does, among calls that fail.
        .executableTarget(
            name: "PictureAsker", dependencies: ["ImageServer", "Raster"], path: "Tests/PictureAsker",
            swiftSettings: swiftSettings),
        // A process that uses the library for as long as it is told.
        .executableTarget(
            name: "LibrarySoak", dependencies: ["Tessera", "ImageIsolation"], path: "Tests/LibrarySoak",
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TesseraCommandTests",
            dependencies: [
                "Tessera", "ImageLoading", "ImageServer", "JPNGContainer", "SamplePictures", "TesseraCommand",
                "TestSupport", "CacheWriter", "PictureAsker",
            ],
            swiftSettings: swiftSettings),
    ],
    swiftLanguageModes: [.v6]
)
