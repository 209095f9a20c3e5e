using System.Text.Unicode;

namespace Ioxide.Files;

/// <summary>What a name in a folder stands for, as the folder itself says.</summary>
internal enum ItemKind
{
    File,
    Folder,

    /// <summary>A symbolic link, or what the file system does not say: it has to be described.</summary>
    LinkOrUnknown,

    /// <summary>A FIFO, a socket or a device.</summary>
    Special,

    /// <summary>The name is not UTF-8, so no request target can name it. It is reported in its escaped form.</summary>
    NotUtf8,
}

/// <summary>Reads the names in a folder by its descriptor, so that they are of that folder, whatever has its path by now.</summary>
/// <remarks>
/// Names are bytes to the kernel. Those that are not UTF-8 are kept apart, because two of them would become one text. A folder
/// that is changed while it is read may have a name twice. Source: getdents64(2).
/// </remarks>
internal static unsafe class FolderNames
{
    private const int BufferBytes = 32 * 1024;
    private const int LengthOffset = 16;
    private const int KindOffset = 18;
    private const int NameOffset = 19;

    /// <param name="folder">Open for reading.</param>
    /// <param name="items">Takes the names, without <c>.</c> and <c>..</c>.</param>
    /// <returns>0, or the error's number; then the names are not complete.</returns>
    internal static int Read(SafeFileHandle folder, List<(string Name, ItemKind Kind)> items)
    {
        byte[] buffer = GC.AllocateUninitializedArray<byte>(BufferBytes);
        fixed (byte* start = buffer)
        {
            while (true)
            {
                int length = Sys.ReadFolder((int)folder.DangerousGetHandle(), start, BufferBytes);
                GC.KeepAlive(folder);
                if (length <= 0)
                {
                    return -length;
                }

                for (int offset = 0; offset < length; offset += *(ushort*)(start + offset + LengthOffset))
                {
                    ReadOnlySpan<byte> name = System.Runtime.InteropServices.MemoryMarshal
                        .CreateReadOnlySpanFromNullTerminated(start + offset + NameOffset);
                    if (!name.SequenceEqual("."u8) && !name.SequenceEqual(".."u8))
                    {
                        items.Add(Utf8.IsValid(name)
                            ? (Encoding.UTF8.GetString(name), KindOf(start[offset + KindOffset]))
                            : (Escape(name), ItemKind.NotUtf8));
                    }
                }
            }
        }
    }

    /// <summary>What one name in a folder stands for; null where there is no such name.</summary>
    /// <param name="folder">Open for reading.</param>
    /// <param name="name">One name. It is not followed, and what it stands for is not woken.</param>
    internal static ItemKind? KindOf(SafeFileHandle folder, string name)
    {
        int item;
        fixed (byte* pointer = Encoding.UTF8.GetBytes(name + '\0'))
        {
            item = Sys.OpenAt(
                (int)folder.DangerousGetHandle(), pointer,
                FileConstants.OpenPath | FileConstants.OpenNoFollow | FileConstants.OpenCloseOnExec);
            GC.KeepAlive(folder);
        }

        FileStatus status = default;
        int described = item < 0 ? item : Sys.Status(item, &status);
        if (item >= 0)
        {
            _ = Kernel.Linux.Close(item);
        }

        return described == -Errno.ENOENT ? null
            : described < 0 || status.IsLink ? ItemKind.LinkOrUnknown
            : status.IsRegular ? ItemKind.File
            : status.IsDirectory ? ItemKind.Folder
            : ItemKind.Special;
    }

    /// <summary>Text for a line of the log: one line, whatever a name has in it.</summary>
    internal static string Escape(string text)
        => text.AsSpan().ContainsAnyInRange('\0', '\u001F') || text.Contains('\u007F', StringComparison.Ordinal)
            ? Escape(Encoding.UTF8.GetBytes(text))
            : text;

    private static string Escape(ReadOnlySpan<byte> name)
    {
        var text = new StringBuilder(name.Length * 2);
        while (!name.IsEmpty)
        {
            bool isText = Rune.DecodeFromUtf8(name, out Rune rune, out int count) == System.Buffers.OperationStatus.Done
                && !Rune.IsControl(rune);
            if (isText)
            {
                text.Append(rune.ToString());
            }
            else
            {
                foreach (byte value in name[..count])
                {
                    text.Append("\\x").Append(value.ToString("X2", System.Globalization.CultureInfo.InvariantCulture));
                }
            }

            name = name[count..];
        }

        return text.ToString();
    }

    private static ItemKind KindOf(byte type) => type switch
    {
        FileConstants.EntryFile => ItemKind.File,
        FileConstants.EntryFolder => ItemKind.Folder,
        FileConstants.EntryLink or FileConstants.EntryUnknown => ItemKind.LinkOrUnknown,
        _ => ItemKind.Special,
    };
}
