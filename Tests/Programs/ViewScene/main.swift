#if GTK
import Foundation
import ImageViewsGTK

// Shows one widget in a window, and does what its standard input says, a line at a time; each is answered by a line.
// Time stands still but for `time`.
guard GTKProgram.start(name: "org.tessera.Scene") else { fatalError("there is no display") }
let scene = Scene()
// On a thread of its own: where there is one processor, tasks have one thread, which mustn't wait for a line.
Thread.detachNewThread { [scene] in
    while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        DispatchQueue.main.sync { MainActor.assumeIsolated { Scene.say(scene.answer(words)) } }
    }
    DispatchQueue.main.sync { MainActor.assumeIsolated { GTKProgram.stop() } }
}
GTKProgram.run()
#endif
