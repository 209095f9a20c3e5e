namespace Ioxide.Files;

/// <summary>Header fields as the bytes of HTTP/1.1 that carry them, each line with its end.</summary>
internal readonly struct HeadFields
{
    private readonly byte[] _lines;
    private readonly int _notModifiedLength;

    internal HeadFields(KeyValuePair<string, StringValues>[] fields)
    {
        var lines = new StringBuilder();
        int notModifiedCount = FieldSet.CountOfNotModified(fields);
        for (int index = 0; index < fields.Length; index++)
        {
            if (index == notModifiedCount)
            {
                _notModifiedLength = lines.Length;
            }

            // As Kestrel writes them: a line per value.
            foreach (string? value in fields[index].Value)
            {
                if (value is not null)
                {
                    lines.Append(fields[index].Key).Append(": ").Append(value).Append("\r\n");
                }
            }
        }

        _lines = Encoding.ASCII.GetBytes(lines.ToString());
    }

    /// <summary>All of them, for answers that carry the representation.</summary>
    internal ReadOnlySpan<byte> Whole => _lines;

    /// <summary>Those that a 304 has.</summary>
    internal ReadOnlySpan<byte> NotModified => _lines.AsSpan(0, _notModifiedLength);
}
