using System.Globalization;

namespace Ioxide.Files;

/// <summary>One representation of a file: its bytes in one coding, its validators and its header fields.</summary>
/// <remarks>Kept small, because there is one for each file: most fields are shared, and texts are made when they are first asked for.</remarks>
internal sealed class FileVariant
{
    private string? _tag;
    private string? _date;

    /// <param name="content">What is sent.</param>
    /// <param name="lastModified">The file's own date, whatever the coding.</param>
    /// <param name="shared">The other fields.</param>
    internal FileVariant(FileContent content, DateTimeOffset lastModified, SharedFields shared)
    {
        Content = content;
        LastModified = HttpDates.ToSeconds(lastModified);
        Shared = shared;
    }

    internal FileContent Content { get; }

    internal FileCoding Coding => Shared.Coding;

    internal long Length => Content.Length;

    /// <summary>The bytes; empty where there are none, or where they are left on disk.</summary>
    internal FileBody Body => Content.Body;

    internal bool IsOnDisk => Content.IsOnDisk;

    /// <summary>When the file was changed, in whole seconds.</summary>
    internal DateTimeOffset LastModified { get; }

    /// <summary>All fields but the tag and the date.</summary>
    internal SharedFields Shared { get; }

    /// <summary>The strong entity tag with its quotes.</summary>
    internal string ETag => _tag ??= $"\"{Content.Tag}\"";

    internal string LastModifiedText => _date ??= LastModified.ToString("r", CultureInfo.InvariantCulture);
}
