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

/// A C library of the system, by its module map; pkg-config finds it.
func systemLibrary(
    _ name: String, _ pkgConfig: String, apt: String, brew: String, path: String? = nil
) -> Target {
    .systemLibrary(name: name, path: path, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

/// A floor of the house.
func floor(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

/// A program; one that only tests start is in `Tests`.
func program(_ name: String, in folder: String = "Sources", _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: swiftSettings)
}

/// What several test targets use.
func testSupport(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: swiftSettings)
}

/// The tests in the folder of that name.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swiftSettings)
}

extension Target.Dependency {
    /// The target or, from another package, the product of that name, where one of the traits is enabled.
    static func when(_ traits: String..., name: String, from package: String? = nil) -> Target.Dependency {
        let condition = TargetDependencyCondition.when(traits: Set(traits))
        guard let package else { return .target(name: name, condition: condition) }
        return .product(name: name, package: package, condition: condition)
    }

    /// As above for one trait.
    static func when(_ trait: String, _ name: String, from package: String? = nil) -> Target.Dependency {
        .when(trait, name: name, from: package)
    }
}

/// What the tests of every format use.
let formatTests: [Target.Dependency] = [
    "ImageFormats", "Raster", "SamplePictures", "ImageFormatsTestSupport", "TestSupport",
]

let package = Package(
    name: "Tessera",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        "Tessera", "Raster", "JPNGContainer", "JPEGBitstream", "ImageEffects", "ImageFormats", "ImageIsolation",
        "ImageLoading", "ImagePyramid", "ImageServer", "ImageViews", "ImageViewsGTK", "TesseraCompatibility",
        "TesseraLibrary",
    ].map { .library(name: $0, targets: [$0]) } + [
        // Scripts/build-library links its objects again, to libtessera.so.
        .library(name: "tessera-c", type: .dynamic, targets: ["TesseraLibrary"]),
        .executable(name: "tessera", targets: ["TesseraCommand"]),
        .executable(name: "jpngtool", targets: ["JPNGToolCommand"]),
        .executable(name: "tessera-svg", targets: ["SVGWorkerCommand"]),
        .executable(name: "tessera-decode", targets: ["DecodingWorkerCommand"]),
        .executable(name: "tessera-view", targets: ["TesseraViewer"]),
    ],
    traits: [
        .trait(name: "Commands", description: "The program tessera; without it no outside package is resolved"),
        .trait(name: "HTTP", description: "HTTP and S3's protocol, by libcurl, which is loaded when first needed"),
        .trait(name: "Server", description: "The image server, by Hummingbird"),
        .trait(name: "GTK", description: "Widgets and the viewer, by GTK 4; not among the defaults"),
        .trait(
            name: "Observability", description: "Adapters for swift-log, swift-metrics and swift-distributed-tracing"),
        .trait(name: "WebP", description: "WebP, by libwebp"),
        .trait(name: "TIFF", description: "TIFF, by libtiff"),
        .trait(name: "HEIF", description: "HEIF and HEIC, by libheif, which is loaded when first needed"),
        .trait(name: "AVIF", description: "AVIF, by libavif, which is loaded when first needed"),
        .trait(name: "JPEGXL", description: "JPEG XL, by libjxl, which is loaded when first needed"),
        .trait(name: "JPEG2000", description: "JPEG 2000, by OpenJPEG, which is loaded when first needed"),
        .trait(name: "OpenEXR", description: "OpenEXR, by OpenEXRCore, which is loaded when first needed"),
        .trait(name: "SVG", description: "SVG, by librsvg in a process of its own"),
        .default(enabledTraits: [
            "Commands", "HTTP", "Server", "Observability", "WebP", "TIFF", "HEIF", "AVIF", "JPEGXL",
            "JPEG2000", "OpenEXR", "SVG",
        ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // MARK: C libraries
        systemLibrary("CTesseraLibJPEG", "libjpeg", apt: "libjpeg-dev", brew: "jpeg-turbo"),
        systemLibrary("CTesseraLibZ", "zlib", apt: "zlib1g-dev", brew: "zlib"),
        systemLibrary("CTesseraLibDeflate", "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        systemLibrary("CTesseraLibLCMS", "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
        systemLibrary("CTesseraLibWebP", "libwebp", apt: "libwebp-dev", brew: "webp"),
        systemLibrary("CTesseraLibTIFF", "libtiff-4", apt: "libtiff-dev", brew: "libtiff"),
        systemLibrary("CTesseraLibCrypto", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        systemLibrary("CTesseraLibRSVG", "librsvg-2.0", apt: "librsvg2-dev", brew: "librsvg"),
        systemLibrary("CTesseraLibGTK", "gtk4", apt: "libgtk-4-dev", brew: "gtk4"),

        // MARK: C: what Swift can't express, or what measured faster
        .target(name: "CTesseraKernels"),
        .target(name: "CTesseraSystem"),
        .target(name: "CTesseraShim"),
        .target(name: "CTesseraJPEG", dependencies: ["CTesseraShim", "CTesseraLibJPEG"]),
        .target(name: "CTesseraWebP", dependencies: ["CTesseraShim", "CTesseraLibWebP"]),
        .target(name: "CTesseraTIFF", dependencies: ["CTesseraShim", "CTesseraKernels", "CTesseraLibTIFF"]),
        .target(name: "CTesseraHEIF", dependencies: ["CTesseraShim"]),
        .target(name: "CTesseraAVIF", dependencies: ["CTesseraShim"]),
        .target(name: "CTesseraJXL", dependencies: ["CTesseraShim"]),
        .target(name: "CTesseraJP2", dependencies: ["CTesseraShim"]),
        .target(name: "CTesseraEXR", dependencies: ["CTesseraShim"]),
        .target(name: "CTesseraCURL", dependencies: ["CTesseraShim"]),

        // MARK: The operating system
        floor("Platform", ["CTesseraSystem"]),
        floor("Essentials"),

        // MARK: Pixels and bytes
        floor("Raster", ["Platform", "CTesseraKernels"]),
        floor("JPNGContainer"),
        floor("JPEGBitstream"),

        // MARK: Effects
        floor("ImageEffects", ["Platform", "Raster", "CTesseraKernels"]),

        // MARK: Formats
        floor(
            "ImageFormats",
            [
                "Platform", "CTesseraSystem", "Raster", "JPNGContainer", "JPEGBitstream", "CTesseraKernels",
                "CTesseraShim",
                "CTesseraJPEG", "CTesseraLibZ", "CTesseraLibDeflate", "CTesseraLibLCMS",
                .when("WebP", "CTesseraWebP"), .when("TIFF", "CTesseraTIFF"), .when("HEIF", "CTesseraHEIF"),
                .when("AVIF", "CTesseraAVIF"), .when("JPEGXL", "CTesseraJXL"),
                .when("JPEG2000", "CTesseraJP2"), .when("OpenEXR", "CTesseraEXR"),
            ]),

        // MARK: Decoding in processes that have nothing to lose
        floor("ImageIsolation", ["Platform", "Raster", "ImageFormats"]),
        .target(name: "CTesseraWorker"),
        floor("DecodingWorker", ["Platform", "Raster", "ImageFormats", "ImageIsolation", "CTesseraWorker"]),

        // MARK: Pictures larger than memory
        floor(
            "ImagePyramid",
            [
                "Platform", "Essentials", "Raster", "JPNGContainer", "JPEGBitstream", "ImageFormats", "CTesseraKernels",
                "CTesseraShim", "CTesseraJPEG", "CTesseraLibZ", "CTesseraLibDeflate",
            ]),

        // MARK: Loading
        floor(
            "ImageLoading",
            [
                "Platform", "Essentials", "Raster", "ImageEffects", "ImageFormats", "CTesseraLibDeflate",
                .when("HTTP", "CTesseraCURL"), .when("HTTP", "Server", name: "CTesseraLibCrypto"),
                .when("Observability", "Logging", from: "swift-log"),
                .when("Observability", "Metrics", from: "swift-metrics"),
            ]),

        // MARK: Views
        floor(
            "ImageViews",
            ["Platform", "Essentials", "Raster", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading"]),
        .target(name: "CTesseraGTK", dependencies: [.when("GTK", "CTesseraLibGTK")], exclude: ["interface"]),
        floor(
            "ImageViewsGTK",
            [
                "Platform", "Essentials", "Raster", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading",
                "ImageViews",
                "CTesseraGTK",
            ]),

        // MARK: The server, and the pages that it hands out
        .target(name: "CTesseraViewer", exclude: ["pages"]),
        floor(
            "ImageServer",
            [
                "Platform", "Essentials", "Raster", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading",
                "JPNGContainer",
                "CTesseraViewer", .when("Server", "CTesseraLibCrypto"),
                .when("Server", "Hummingbird", from: "hummingbird"),
                .when("Server", "HummingbirdCore", from: "hummingbird"),
                .when("Server", "ServiceLifecycle", from: "swift-service-lifecycle"),
                .when("Server", "HTTPTypes", from: "swift-http-types"), .when("Server", "NIOCore", from: "swift-nio"),
                .when("Server", "NIOHTTP1", from: "swift-nio"), .when("Server", "NIOPosix", from: "swift-nio"),
                .when("Server", "NIOExtras", from: "swift-nio-extras"),
                .when("Server", "NIOHTTPTypes", from: "swift-nio-extras"),
                .when("Server", "NIOHTTPTypesHTTP1", from: "swift-nio-extras"),
                .when("Server", "Logging", from: "swift-log"), .when("Server", "Metrics", from: "swift-metrics"),
                .when("Observability", "Tracing", from: "swift-distributed-tracing"),
                .when("Observability", "Instrumentation", from: "swift-distributed-tracing"),
            ]),

        // MARK: The whole
        floor(
            "Tessera",
            ["Platform", "Raster", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading"]),
        // The names of other libraries, for code that was written for them.
        floor(
            "TesseraCompatibility",
            [
                "Essentials", "Raster", "JPNGContainer", "ImageEffects", "ImageFormats", "ImagePyramid", "ImageLoading",
                "ImageViews",
            ]),

        // The C interface.
        .target(name: "CTessera"),
        floor(
            "TesseraLibrary",
            [
                "CTessera", "Platform", "Raster", "JPNGContainer", "ImageEffects", "ImageFormats", "ImageIsolation",
                "ImagePyramid",
            ]),

        // MARK: Programs
        floor("SamplePictures", ["Raster"]),
        program(
            "TesseraCommand",
            [
                "Platform", "Essentials", "Tessera", "Raster", "ImageFormats", "ImageEffects", "ImageIsolation",
                "ImageLoading", "ImagePyramid", "ImageServer", "JPNGContainer", "JPEGBitstream", "SamplePictures",
                "CTesseraViewer",
                .when("Server", "Logging", from: "swift-log"),
                .when("Server", "ServiceLifecycle", from: "swift-service-lifecycle"),
                .when("Server", "UnixSignals", from: "swift-service-lifecycle"),
                .when("Commands", "ArgumentParser", from: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "SVGWorkerCommand",
            dependencies: ["CTesseraSystem", "CTesseraShim", .when("SVG", "CTesseraLibRSVG")]),
        program("DecodingWorkerCommand", ["Platform", "ImageIsolation", "DecodingWorker"]),
        program(
            "TesseraViewer",
            [
                "Platform", "Essentials", "Tessera", "Raster", "ImageFormats", "ImageIsolation", "ImageLoading",
                "ImagePyramid", "ImageViews", "ImageViewsGTK",
            ]),
        program("JPNGToolCommand", ["Platform", "Raster", "ImageFormats"]),

        // MARK: Tests: a folder per target and, of what shares ImageFormats, a target per format, which compile side by side
        systemLibrary(
            "CTesseraLibPNG", "libpng", apt: "libpng-dev", brew: "libpng", path: "Tests/CTesseraLibPNG"),
        .target(name: "CTesseraPNGOracle", dependencies: ["CTesseraLibPNG"], path: "Tests/CTesseraPNGOracle"),
        testSupport("TestSupport"),
        testSupport("ImageFormatsTestSupport", ["ImageFormats", "Raster", "CTesseraPNGOracle", "TestSupport"]),
        testSupport("ImageLoadingTestSupport", ["ImageLoading", "ImageFormats", "Raster"]),
        // Programs to be killed while they fill a store or write, and one that says what memory a bomb took; a worker that
        // does what a broken or hostile one may; a window whose clock and hands are a test's; one that answers as the server
        // does, among calls that fail; and one that uses the library for as long as it is told.
        program("TileFiller", in: "Tests/Programs", ["ImagePyramid", "Raster"]),
        program("CacheWriter", in: "Tests/Programs", ["ImageLoading"]),
        program(
            "BombDecoder", in: "Tests/Programs",
            ["Essentials", "ImageFormats", "ImageLoading", "ImagePyramid", "Raster"]),
        program("FaultyDecoder", in: "Tests/Programs", ["ImageIsolation", "DecodingWorker"]),
        program("ViewScene", in: "Tests/Programs", ["ImageViewsGTK", "CTesseraGTK", "Raster"]),
        program("PictureAsker", in: "Tests/Programs", ["ImageServer", "Raster"]),
        program(
            "LibrarySoak", in: "Tests/Programs",
            ["Tessera", "ImageFormats", "ImageIsolation", "ImageLoading", "ImagePyramid"]),
        tests("PlatformTests", ["Platform", "TestSupport"]),
        tests("RasterTests", ["Raster", "TestSupport"]),
        tests("ImageEffectsTests", ["ImageEffects", "Raster", "CTesseraKernels", "TestSupport"]),
        tests("JPNGContainerTests", ["JPNGContainer"]),
        tests("JPEGBitstreamTests", ["JPEGBitstream", "TestSupport"]),
        tests("SamplePicturesTests", ["SamplePictures", "Raster"]),
        tests("ImageFormatsTests", formatTests + ["Platform", "CTesseraLibZ"]),
        tests("PNGTests", formatTests + ["CTesseraKernels", "CTesseraLibZ"]),
        tests(
            "JPEGTests", formatTests + ["JPNGContainer", "JPEGBitstream", "CTesseraJPEG"],
            exclude: ["JPNG/jpng_reader.py"]),
        tests("GIFTests", formatTests),
        tests("WebPTests", formatTests),
        tests("TIFFTests", formatTests + ["CTesseraKernels"]),
        tests("HEIFTests", formatTests),
        tests("JPEGXLTests", formatTests),
        tests("JPEG2000Tests", formatTests + ["ImagePyramid", "ImageIsolation"]),
        tests("BitmapFormatTests", formatTests),
        tests("SVGTests", formatTests),
        tests("PDFTests", formatTests),
        tests(
            "ImagePyramidTests",
            formatTests + ["TileFiller", "Platform", "ImagePyramid", "JPEGBitstream", "CTesseraKernels"]),
        tests("BombTests", ["BombDecoder", "ImageFormats", "CTesseraLibZ", "TestSupport"]),
        tests("ImageIsolationTests", formatTests + ["FaultyDecoder", "ImageIsolation", "DecodingWorkerCommand"]),
        tests(
            "ImageLoadingTests",
            [
                "CacheWriter", "ImageLoading", "ImageEffects", "ImageFormats", "Raster", "SamplePictures",
                "ImageLoadingTestSupport", "TestSupport",
            ]),
        tests(
            "ImageLoadingHTTPTests",
            [
                "ImageLoading", "ImageFormats", "Raster", "SamplePictures", "ImageLoadingTestSupport", "TestSupport",
                .when("HTTP", "Hummingbird", from: "hummingbird"), .when("HTTP", "NIOCore", from: "swift-nio"),
                .when("Observability", "Logging", from: "swift-log"),
                .when("Observability", "Metrics", from: "swift-metrics"),
            ]),
        tests(
            "ImageServerTests",
            formatTests + [
                "ImageServer", "ImagePyramid", "ImageLoading", "ImageEffects", "ImageLoadingTestSupport",
                .when("Server", "Logging", from: "swift-log"), .when("Server", "Hummingbird", from: "hummingbird"),
                .when("Server", "NIOCore", from: "swift-nio"),
                .when("Observability", "InMemoryTracing", from: "swift-distributed-tracing"),
                .when("Observability", "Tracing", from: "swift-distributed-tracing"),
                .when("Observability", "Instrumentation", from: "swift-distributed-tracing"),
            ]),
        tests(
            "ImageViewsTests",
            formatTests + ["ImageViews", "ImagePyramid", "ImageLoading", "ImageEffects", "ImageLoadingTestSupport"]),
        tests("TesseraCompatibilityTests", ["TesseraCompatibility", "ImageLoadingTestSupport", "TestSupport"]),
        tests(
            "ImageViewsGTKTests",
            formatTests + ["ViewScene", "ImageViewsGTK", "ImageViews", "ImageLoading", "TesseraViewer"]),
        tests(
            "JPNGToolCommandTests",
            ["Tessera", "Raster", "JPNGContainer", "SamplePictures", "JPNGToolCommand", "TestSupport"]),
        tests(
            "TesseraCommandTests",
            [
                "Tessera", "Raster", "ImageFormats", "ImageEffects", "ImageLoading", "ImagePyramid", "ImageServer",
                "JPNGContainer", "SamplePictures", "TesseraCommand", "TestSupport", "CacheWriter", "PictureAsker",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
