#if GTK
import ImageViewsGTK

// Shows one widget in a window, and does what its standard input says, a line at a time; each is answered by a line.
// Time stands still but for `time`.
guard GTKProgram.start(name: "org.tessera.Scene") else { fatalError("there is no display") }
let scene = Scene()
Task.detached { [scene] in
    while let line = readLine() {
        let answer = await scene.answer(line.split(separator: " ").map(String.init))
        Scene.say(answer)
    }
    await MainActor.run { GTKProgram.stop() }
}
GTKProgram.run()
#endif
