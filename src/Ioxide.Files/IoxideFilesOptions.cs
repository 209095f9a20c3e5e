using Microsoft.AspNetCore.StaticFiles;

namespace Ioxide.Files;

/// <summary>Options of one mapped folder. They are read when the folder is mapped.</summary>
public sealed class IoxideFilesOptions
{
    /// <summary>
    /// The most bytes of files to keep in memory. The largest files stay on disk. Beside its bytes each file takes about 600 bytes, on disk
    /// too, which are not counted. Defaults to 256 MiB.
    /// </summary>
    public long MemoryBudget { get; set; } = 256 * 1024 * 1024;

    /// <summary>How symbolic links are treated. Defaults to <see cref="SymbolicLinks.Refuse"/>.</summary>
    public SymbolicLinks SymbolicLinks { get; set; } = SymbolicLinks.Refuse;

    /// <summary>Whether files and folders whose name begins with a dot are served. <c>.well-known</c> is always served. Defaults to false.</summary>
    public bool ServeDotFiles { get; set; }

    /// <summary>Maps file names to content types. Defaults to the framework's provider.</summary>
    /// <remarks>Where it throws, the file is not served and a warning names the file. Threads: several at once.</remarks>
    public IContentTypeProvider ContentTypes { get; set; } = new FileExtensionContentTypeProvider();

    /// <summary>The content type of files that <see cref="ContentTypes"/> does not know. Defaults to null: they are not served.</summary>
    public string? DefaultContentType { get; set; }

    /// <summary>The file names to serve for a folder. The first one that exists is served. Defaults to <c>index.html</c>.</summary>
    public IList<string> DefaultDocuments { get; } = ["index.html"];

    /// <summary>
    /// Whether a request for a folder with a default document, without a slash at the end of its path, is redirected to the path with the
    /// slash, so that relative links work. Defaults to true.
    /// </summary>
    public bool RedirectToFolders { get; set; } = true;

    /// <summary>
    /// The file, relative to the folder, that is served where no endpoint and no file matches and the last segment of the path has no dot. Use
    /// it for applications that route in the browser. Defaults to null: none.
    /// </summary>
    public string? FallbackFile { get; set; }

    /// <summary>
    /// The <c>Cache-Control</c> header of every file. Defaults to <c>no-cache</c>: clients may keep a file but revalidate it each time. Null for
    /// none.
    /// </summary>
    public string? CacheControl { get; set; } = "no-cache";

    /// <summary>
    /// Decides by the path, relative to the folder and without a leading slash, whether a file never changes, as with fingerprinted names. Such
    /// a file has the <c>Cache-Control</c> header <c>max-age=31536000, immutable</c>. Defaults to null: none.
    /// </summary>
    /// <remarks>Where it throws, the file is served as one that changes, and a warning names the file.</remarks>
    public Func<string, bool>? IsImmutable { get; set; }

    /// <summary>Headers to add to every response with a file. Defaults to none.</summary>
    /// <remarks>Names and values must be ASCII without control characters.</remarks>
    public IDictionary<string, StringValues> Headers { get; } = new Dictionary<string, StringValues>(StringComparer.OrdinalIgnoreCase);

    /// <summary>The most ranges that one request may ask for. A request with more gets the whole file. Defaults to 16.</summary>
    public int MaxRanges { get; set; } = 16;

    /// <summary>Whether the folder is reloaded when something in it changes, or when its path leads to another folder. Defaults to true.</summary>
    /// <remarks>
    /// The kernel reports changes (inotify). Where there are no reactors or no inotify, and on file systems that another machine may change, the
    /// files are compared every few seconds.
    /// </remarks>
    public bool WatchForChanges { get; set; } = true;

    /// <summary>
    /// The delay between a change and the reload, so that files which are being copied are complete. Defaults to 200 ms, at most 1 day.
    /// </summary>
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
            throw new ArgumentException($"'{text}' cannot be sent in a header: it must be ASCII without control characters.");
        }
    }
}
