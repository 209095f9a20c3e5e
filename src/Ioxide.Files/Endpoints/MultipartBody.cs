using System.Globalization;

namespace Ioxide.Files;

/// <summary>Writes several ranges as <c>multipart/byteranges</c>. Source: RFC 9110, section 14.6.</summary>
[ApplicationSide]
internal static class MultipartBody
{
    /// <param name="context">Status and fields are set; type and length are set here.</param>
    /// <param name="variant">The representation.</param>
    /// <param name="parts">At least two.</param>
    /// <param name="writeRange">Writes the bytes of one of them.</param>
    internal static async Task WriteAsync(
        HttpContext context, FileVariant variant, ByteRange[] parts, Func<ByteRange, Task> writeRange)
    {
        string boundary = Guid.NewGuid().ToString("N");
        string? type = context.Response.ContentType;
        byte[][] heads = [.. parts.Select((part, index) => PartHead(boundary, type, part, variant.Length, isFirst: index == 0))];
        byte[] end = Encoding.ASCII.GetBytes($"\r\n--{boundary}--\r\n");
        context.Response.ContentType = $"multipart/byteranges; boundary={boundary}";
        context.Response.ContentLength = heads.Sum(static head => (long)head.Length) + parts.Sum(static part => part.Length) + end.Length;
        for (int index = 0; index < parts.Length; index++)
        {
            await context.Response.BodyWriter.WriteAsync(heads[index]);
            await writeRange(parts[index]);
        }

        await context.Response.BodyWriter.WriteAsync(end);
    }

    private static byte[] PartHead(string boundary, string? type, ByteRange part, long length, bool isFirst)
        => Encoding.ASCII.GetBytes(string.Create(
            CultureInfo.InvariantCulture,
            $"{(isFirst ? "" : "\r\n")}--{boundary}\r\nContent-Type: {type}\r\nContent-Range: {FileResponse.ContentRange(part, length)}\r\n\r\n"));
}
