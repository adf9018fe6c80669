print("jpngtool")
