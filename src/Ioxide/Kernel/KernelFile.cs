using System.Globalization;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Ioxide;

/// <summary>Reads small files of the kernel's, such as those of proc. One that cannot be read is empty.</summary>
/// <remarks>
/// Most hosts lack some of them, and the first exception of a process takes 2 ms, so that they are looked for before they are opened.
/// </remarks>
internal static class KernelFile
{
    private const int OrdinaryLength = 2048;

    /// <summary>The first bytes of a file, as many as fit.</summary>
    internal static ReadOnlySpan<byte> Bytes(string path, Span<byte> buffer)
    {
        try
        {
            using SafeFileHandle? file = Open(path);
            return file is null ? [] : buffer[..RandomAccess.Read(file, buffer, fileOffset: 0)];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The kernel hides the file, the thread that it tells of has ended, or descriptors have run out.
            return [];
        }
    }

    /// <summary>The text of a file.</summary>
    internal static string Text(string path)
    {
        byte[] text = new byte[OrdinaryLength];
        int length = 0;
        try
        {
            using SafeFileHandle? file = Open(path);
            while (file is not null && RandomAccess.Read(file, text.AsSpan(length), length) is var read and > 0)
            {
                length += read;
                if (length == text.Length)
                {
                    Array.Resize(ref text, length * 2);
                }
            }

            return Encoding.UTF8.GetString(text, 0, length);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }

    /// <summary>The number that a file holds, or null.</summary>
    internal static int? Number(string path)
        => int.TryParse(Text(path), NumberStyles.AllowLeadingSign | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture, out int value)
            ? value
            : null;

    private static SafeFileHandle? Open(string path) => File.Exists(path) ? File.OpenHandle(path, share: FileShare.ReadWrite) : null;
}
