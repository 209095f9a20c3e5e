using Microsoft.AspNetCore.StaticFiles;

namespace Ioxide.Files;

/// <summary>How one folder of files is loaded and answered. Read when the folder is mapped.</summary>
public sealed class IoxideFilesOptions
{
    /// <summary>Bytes of files that are kept in memory; the largest files are left on disk. Defaults to 256 MiB.</summary>
    public long MemoryBudget { get; set; } = 256 * 1024 * 1024;

    /// <summary>
    /// Whether files that compress and lack a sibling (<c>.br</c>, <c>.gz</c>) get one in memory at start. Costs processor time at
    /// start and memory; the copies do not count for <see cref="MemoryBudget"/>. Defaults to false.
    /// </summary>
    public bool CompressAtStart { get; set; }

    /// <summary>What becomes of symbolic links. Defaults to <see cref="SymbolicLinks.Refuse"/>.</summary>
    public SymbolicLinks SymbolicLinks { get; set; } = SymbolicLinks.Refuse;

    /// <summary>
    /// Whether files and folders whose name begins with a dot are served. <c>.well-known</c> always is. Defaults to false.
    /// </summary>
    public bool ServeDotFiles { get; set; }

    /// <summary>Says the content type of a name. Defaults to the framework's.</summary>
    /// <remarks>A file for which it throws is not served, and the log has a line that names the file. Threads: several at once.</remarks>
    public IContentTypeProvider ContentTypes { get; set; } = new FileExtensionContentTypeProvider();

    /// <summary>The content type of names that <see cref="ContentTypes"/> does not know. Defaults to null: they are not served.</summary>
    public string? DefaultContentType { get; set; }

    /// <summary>Names that a folder is answered with, the first that is there. Defaults to <c>index.html</c>.</summary>
    public IList<string> DefaultDocuments { get; } = ["index.html"];

    /// <summary>
    /// Whether a folder with a default document whose path lacks the last slash is redirected to the path that has it, so that
    /// relative links work. Defaults to true.
    /// </summary>
    public bool RedirectToFolders { get; set; } = true;

    /// <summary>
    /// The file, from the root, that paths without a dot in their last segment are answered with where no other endpoint and no
    /// file matches, for applications that route in the browser. Defaults to null: none.
    /// </summary>
    public string? FallbackFile { get; set; }

    /// <summary>The <c>Cache-Control</c> of every file. Defaults to <c>no-cache</c>: kept, and asked for each time. Null for none.</summary>
    public string? CacheControl { get; set; } = "no-cache";

    /// <summary>
    /// Says of a path (from the root, without a slash in front) whether its content never changes under that name, as names with
    /// a fingerprint have it; its <c>Cache-Control</c> is then <c>max-age=31536000, immutable</c>. Defaults to null: of none.
    /// </summary>
    /// <remarks>Where it throws, the file is served as one that changes, and the log has a line that names the file.</remarks>
    public Func<string, bool>? IsImmutable { get; set; }

    /// <summary>Fields that every answer with a file has. Defaults to none.</summary>
    /// <remarks>Names and values are ASCII without control characters.</remarks>
    public IDictionary<string, StringValues> Headers { get; } = new Dictionary<string, StringValues>(StringComparer.OrdinalIgnoreCase);

    /// <summary>Ranges that one request may ask for; a request with more gets the whole file. Defaults to 16.</summary>
    public int MaxRanges { get; set; } = 16;

    /// <summary>
    /// Whether the folder is watched, and read again when something in it changes, or when its path leads to another folder.
    /// Defaults to true.
    /// </summary>
    /// <remarks>Where the host has no rings or refuses inotify, what is found is compared every few seconds instead.</remarks>
    public bool WatchForChanges { get; set; } = true;

    /// <summary>How long after a change the folder is read, so that what is copied into it is whole. Defaults to 200 ms; at most a day.</summary>
    public TimeSpan ReloadDelay { get; set; } = TimeSpan.FromMilliseconds(200);

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfNegative(MemoryBudget);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxRanges, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(ReloadDelay, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ReloadDelay, TimeSpan.FromDays(1));
        ArgumentNullException.ThrowIfNull(ContentTypes);
        foreach ((string name, StringValues values) in Headers)
        {
            ThrowIfNotField(name, isName: true);
            ThrowIfNotField(values.ToString(), isName: false);
        }

        ThrowIfNotField(CacheControl ?? "", isName: false);
    }

    /// <summary>Whether a text can be sent as the value of a header: ASCII without control characters.</summary>
    internal static bool IsFieldValue(string text) => !text.AsSpan().ContainsAnyExceptInRange(' ', '~');

    private static void ThrowIfNotField(string text, bool isName)
    {
        if ((isName && (text.Length == 0 || text.AsSpan().ContainsAny(' ', ':'))) || !IsFieldValue(text))
        {
            throw new ArgumentException($"'{text}' cannot be sent in a header.");
        }
    }
}
