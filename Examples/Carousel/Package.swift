// swift-tools-version: 6.2
import PackageDescription

// A package of its own: who builds the other examples needs no GTK.
let package = Package(
    name: "Carousel",
    dependencies: [.package(name: "Tessera", path: "../..", traits: ["GTK"])],
    targets: [
        .systemLibrary(name: "CGTK4", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        // The window, by GTK itself: widgets of Tessera's are widgets like any others.
        .target(name: "CStage", dependencies: ["CGTK4"]),
        .executableTarget(
            name: "Carousel",
            dependencies: [
                .product(name: "Tessera", package: "Tessera"), .product(name: "ImageViews", package: "Tessera"),
                .product(name: "ImageViewsGTK", package: "Tessera"), "CStage",
            ]),
    ]
)
