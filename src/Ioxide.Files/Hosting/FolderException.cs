namespace Ioxide.Files;

/// <summary>
/// A mapped folder cannot be served. A host that does not start because of it prints one line, without the calls that led there: no code of the
/// application is at fault.
/// </summary>
internal sealed class FolderException(string message, Exception cause) : DirectoryNotFoundException(message, cause)
{
    private const string Remedy =
        "Correct the path, or create the folder and let the user of the process read and enter it. A relative path starts at the working directory.";

    /// <param name="cause">Names the folder and the error.</param>
    internal static FolderException Of(Exception cause) => new($"MapIoxideFiles: {cause.Message.TrimEnd('.')}. {Remedy}", cause);

    public override string ToString() => Message;
}
