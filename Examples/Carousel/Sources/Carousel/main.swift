// Carousel [PICTURE…]: pictures with reflections and shadows in a row that is scrolled by wheel, drag and keys.
// Carousel --observe [PICTURE]: says what can be observed of a view, without a window.
// Carousel --ride SECONDS: scrolls by itself, and looks whether every view shows its own picture.
import Dispatch
import Foundation
import ImageViews
import ImageViewsGTK
import Tessera

var arguments = Array(CommandLine.arguments.dropFirst())
let mode = arguments.first.flatMap { $0.hasPrefix("--") ? $0 : nil }
if mode != nil { arguments.removeFirst() }
let seconds = mode == "--ride" ? arguments.popLast().flatMap { Double($0) } : nil
guard [nil, "--observe", "--ride"].contains(mode), (mode == "--ride") == (seconds != nil) else {
    print("usage: Carousel [--observe | --ride SECONDS] [PICTURE…]")
    exit(64)
}
// Files are found from here; by themselves, views look beside the program.
EffectImageView.resourceFolder = FileManager.default.currentDirectoryPath
let pictures = try arguments.isEmpty ? Picture.drawn() : arguments.map { .file($0) }

if mode == "--observe" {
    Task {
        await Observing.run(pictures[0])
        exit(0)
    }
    dispatchMain()
}

guard GTKProgram.start(name: "org.tessera.Carousel") else {
    print("there is no display")
    exit(1)
}
let carousel = try Carousel(pictures, ride: seconds.map { Ride(seconds: $0) })
carousel.open()
GTKProgram.run()
let ride = carousel.close()
if let ride { print(ride.report) }
exit(ride?.holds == false ? 1 : 0)
