namespace Ioxide.Files;

/// <summary>Logs what of a folder is not served. One loading logs at most a hundred lines, and then the number of further ones.</summary>
internal sealed class SkipLog(string folder, ILogger logger)
{
    private const int MaxLines = 100;

    private int _count;

    /// <summary>A loading has ended.</summary>
    internal void End()
    {
        if (_count > MaxLines)
        {
            FilesLog.MoreSkipped(logger, folder, _count - MaxLines);
        }

        _count = 0;
    }

    /// <param name="path">From the root; the root itself is empty.</param>
    /// <param name="reason">Words behind "is skipped:", without a full stop.</param>
    internal void Skip(string path, string reason)
    {
        if (++_count <= MaxLines)
        {
            FilesLog.Skipped(logger, NameOf(path), FolderNames.Escape(reason));
        }
    }

    /// <summary>An option of the application's failed for one file.</summary>
    /// <param name="path">From the root.</param>
    /// <param name="option">The option's name.</param>
    /// <param name="error">What it did.</param>
    /// <param name="consequence">What becomes of the file, as a sentence.</param>
    internal void Option(string path, string option, string error, string consequence)
    {
        if (++_count <= MaxLines)
        {
            FilesLog.OptionFailed(logger, option, NameOf(path), FolderNames.Escape(error), consequence);
        }
    }

    private string NameOf(string path) => FolderNames.Escape(Path.Join(folder, path));
}
