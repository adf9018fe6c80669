// swift-tools-version: 6.2
import PackageDescription

// The fuzz targets, a package of their own: `Fuzz/run` builds it with libFuzzer and the address sanitizer.

let package = Package(
    name: "TesseraFuzz",
    dependencies: [
        .package(name: "Tessera", path: "..", traits: ["WebP", "TIFF", "HEIF", "AVIF", "JPEGXL", "SVG"])
    ],
    targets: [
        // zlib, as an independent word on what deflate data holds.
        .target(name: "CZlibOracle", linkerSettings: [.linkedLibrary("z")]),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CZlibOracle",
                .product(name: "JPNGContainer", package: "Tessera"),
                .product(name: "JPEGBitstream", package: "Tessera"),
                .product(name: "ImageFormats", package: "Tessera"),
                .product(name: "Raster", package: "Tessera"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableExperimentalFeature("Lifetimes"),
                .treatAllWarnings(as: .error),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
