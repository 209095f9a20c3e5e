namespace Ioxide.Files;

/// <summary>Logs what of a folder is not served, once per path and reason, until a loading finds it in order again.</summary>
/// <remarks>One loading logs at most a hundred lines, and then the number of further ones. Threads: any.</remarks>
internal sealed class SkipLog(string folder, ILogger logger)
{
    private const int MaxLines = 100;

    private readonly Lock _lock = new();
    private HashSet<(string Path, string Reason)> _known = [];
    private HashSet<(string Path, string Reason)> _found = [];
    private int _lineCount;
    private int _unloggedCount;

    /// <summary>A loading begins.</summary>
    internal void Begin()
    {
        lock (_lock)
        {
            _found = [];
            _lineCount = 0;
            _unloggedCount = 0;
        }
    }

    /// <summary>A loading has ended with a snapshot. What it did not find is logged again when it is back.</summary>
    internal void End()
    {
        lock (_lock)
        {
            if (_unloggedCount > 0)
            {
                FilesLog.MoreSkipped(logger, folder, _unloggedCount);
            }

            _known = _found;
        }
    }

    /// <param name="path">From the root; the root itself is empty.</param>
    /// <param name="reason">Words behind "is not served:", without a full stop.</param>
    internal void Skip(string path, string reason)
    {
        if (IsNews(path, reason))
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
        if (IsNews(path, option))
        {
            FilesLog.OptionFailed(logger, option, NameOf(path), FolderNames.Escape(error), consequence);
        }
    }

    private bool IsNews(string path, string reason)
    {
        lock (_lock)
        {
            if (!_found.Add((path, reason)) || _known.Contains((path, reason)))
            {
                return false;
            }

            if (_lineCount < MaxLines)
            {
                _lineCount++;
                return true;
            }

            _unloggedCount++;
            return false;
        }
    }

    private string NameOf(string path) => FolderNames.Escape(Path.Join(folder, path));
}
