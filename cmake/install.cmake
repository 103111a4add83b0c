# Placeholder until the package files are written.
