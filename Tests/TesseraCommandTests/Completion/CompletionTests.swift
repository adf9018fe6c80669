import Foundation
import TestSupport
import Testing

/// Completion scripts, as the shells run them: keys are typed, and the completed command shows its arguments.
@Suite("tessera: completion")
struct CompletionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write([], to: "pictures/photo one.jpg")
        try folder.write([], to: "pictures/party.gif")
        try folder.write(Array(Self.driver.utf8), to: "complete.py")
    }

    private static let shells = ["bash", "zsh", "fish"].filter { CommandLineTool($0).isInstalled }
    /// Words with the keys pressed, `\t` for the tabulator, and the arguments that they become.
    private static let lines: [(keys: String, arguments: String)] = [
        (#"tessera conv\t pictures/pho\t --filter lanc\t"#, "<convert><pictures/photo one.jpg><--filter><lanczos>"),
        (#"tessera info pictures/par\t"#, "<info><pictures/party.gif>"),
        (#"tessera convert a --to web\t"#, "<convert><a><--to><webp>"),
        (#"tessera convert a --dynamic-range stan\t"#, "<convert><a><--dynamic-range><standard>"),
        (#"tessera convert a --backg\t papayaw\t"#, "<convert><a><--background><papayawhip>"),
        (#"tessera metadata get a --tag DateTimeO\t"#, "<metadata><get><a><--tag><DateTimeOriginal>"),
        (#"tessera tile make a --layout dee\t"#, "<tile><make><a><--layout><deepzoom>"),
        (#"tessera transform a --edges tri\t"#, "<transform><a><--edges><trim>"),
        (#"tessera optimize a --strip metad\t"#, "<optimize><a><--strip><metadata>"),
        (#"tessera serve --access-log comb\t"#, "<serve><--access-log><combined>"),
    ]

    @Test("Commands, options, file names and values complete", .needs(.python), arguments: shells)
    func completes(_ shell: String) throws {
        let script = try Command.run("--generate-completion-script", shell, in: folder)
        #expect(script.status == 0)
        try folder.write(script.output, to: "script")
        for line in Self.lines {
            let outcome = try Command.run(
                ["complete.py", shell, "script", line.keys], in: folder,
                environment: ["PATH": "\(ProgramFolder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"],
                program: try #require(CommandLineTool.python.path))
            #expect(outcome.text == line.arguments, "\(shell): \(line.keys): \(outcome.errors)")
        }
    }

    /// The folder of the program, whose own completions the scripts may ask for.
    private enum ProgramFolder {
        static let path = URL(fileURLWithPath: Command.program).deletingLastPathComponent().path
    }

    /// Types into an interactive shell on a pseudo-terminal. A function stands in for the program, once the script is there.
    private static let driver = #"""
        import os, pty, re, select, sys, time

        shell, script, keys = sys.argv[1:]
        start = {
            "bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"],
            "fish": ["fish", "--no-config", "-i"],
        }[shell]
        setup = {
            # Bash's script asks the program by the name that was typed.
            "bash": "source ./{}; PS1=READY; tessera() {{ case $1 in ---*) command tessera \"$@\" ;; "
                    "*) printf '<%s>' \"$@\"; echo END ;; esac; }}\n",
            "zsh": "autoload -U compinit; compinit -u -D; source ./{}; compdef _tessera tessera; PS1=READY; "
                   "tessera() {{ printf '<%s>' \"$@\"; echo END; }}\n",
            "fish": "source ./{}; function fish_prompt; echo READY; end; "
                    "function tessera; printf '<%s>' $argv; echo END; end\n",
        }[shell].format(script)
        environment = {**os.environ, "TERM": "xterm" if shell == "fish" else "dumb", "HOME": os.getcwd()}
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe(start[0], start, environment)


        def read(until, seconds):
            text, end = b"", time.monotonic() + seconds
            while time.monotonic() < end and not re.search(until, text):
                if select.select([terminal], [], [], 0.2)[0]:
                    try:
                        text += os.read(terminal, 65536)
                    except OSError:
                        break
            return text


        def quiet(seconds):
            """Waits until nothing has been written for so long."""
            while select.select([terminal], [], [], seconds)[0]:
                os.read(terminal, 65536)


        os.write(terminal, setup.encode())
        read(rb"READY[^;]*$", 60)
        quiet(0.5)
        parts = keys.replace("\\t", "\t").split("\t")
        for part in parts[:-1]:
            os.write(terminal, part.encode())
            quiet(0.3)
            os.write(terminal, b"\t")
            # The shell runs the program for some completions.
            quiet(1.5)
        os.write(terminal, parts[-1].encode() + b"\n")
        found = re.findall(rb"<[^\r\n]*>END", read(rb"<[^\r\n%$]*>END", 60))
        sys.stdout.write(found[-1][:-3].decode() if found else "nothing")
        os.kill(pid, 9)
        """#
}
