namespace Ioxide.Files;

/// <summary>One representation of a file: its bytes in one coding, its validators and its header fields.</summary>
internal sealed class FileVariant
{
    internal FileVariant(
        FileCoding coding, long length, FileBody? body, FileContent? disk, string tag, DateTimeOffset lastModified, FieldSet shared)
    {
        Coding = coding;
        Length = length;
        Body = body;
        Disk = disk;
        ETag = $"\"{tag}\"";
        ETagBytes = System.Text.Encoding.ASCII.GetBytes(ETag);
        LastModified = HttpDates.ToSeconds(lastModified);
        LastModifiedText = LastModified.ToString("r", System.Globalization.CultureInfo.InvariantCulture);
        LastModifiedBytes = System.Text.Encoding.ASCII.GetBytes(LastModifiedText);
        Shared = shared;
        Fields = shared.For(this);
        Head = new HeadFields(Fields);
    }

    internal FileCoding Coding { get; }

    internal long Length { get; }

    /// <summary>The bytes; null where there are none, or where they are left on disk.</summary>
    internal FileBody? Body { get; }

    /// <summary>The file that is left on disk.</summary>
    internal FileContent? Disk { get; }

    internal bool IsOnDisk => Disk is not null;

    /// <summary>The strong entity tag with its quotes.</summary>
    internal string ETag { get; }

    internal byte[] ETagBytes { get; }

    /// <summary>When the file was changed, in whole seconds.</summary>
    internal DateTimeOffset LastModified { get; }

    internal string LastModifiedText { get; }

    internal byte[] LastModifiedBytes { get; }

    /// <summary>The fields of an answer with the representation, without length, date and range.</summary>
    internal KeyValuePair<string, StringValues>[] Fields { get; }

    /// <summary>What those fields have in common with the other representations of the file.</summary>
    internal FieldSet Shared { get; }

    /// <summary>The same fields as bytes of HTTP/1.1.</summary>
    internal HeadFields Head { get; }
}
