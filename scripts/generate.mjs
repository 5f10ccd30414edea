// Writes the generated sources that are not kept in git.
