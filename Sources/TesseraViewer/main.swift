#if GTK
ViewerProgram.main()
#else
ViewerMessage.fail(
    """
    tessera-view: this program was built without GTK 4.
    Install GTK's files (Debian: apt install libgtk-4-dev) and build it with the trait GTK:
      swift build -c release --product tessera-view --traits defaults,GTK
    """)
#endif
