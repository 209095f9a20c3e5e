using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files.Tests;

/// <summary>A folder that another machine keeps and changes: a file system in user space, mounted here, whose server is this object.</summary>
/// <remarks>
/// The kernel asks for everything again each time and hears of no change, so that inotify reports none. Mounting needs root. On dispose it is
/// unmounted. Source: include/uapi/linux/fuse.h (protocol 7.31), fuse(4).
/// </remarks>
internal sealed partial class OtherMachine : IDisposable
{
    private const int RequestBytes = 64 * 1024;
    private const int HeaderBytes = 40;
    private const int AnswerHeaderBytes = 16;
    private const ulong RootNode = 1;
    private const uint DirectoryMode = 0x41ED;
    private const uint RegularMode = 0x81A4;
    private const int NotFound = -2;
    private const int NotImplemented = -38;
    private const int Detach = 2;

    private readonly SafeFileHandle _kernel = File.OpenHandle("/dev/fuse", FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
    private readonly Thread _server;
    private readonly Lock _lock = new();
    private readonly List<(string Name, byte[] Content, DateTimeOffset Changed)> _files = [];
    private DateTimeOffset _namesChanged = DateTimeOffset.UtcNow;

    private OtherMachine() => _server = new Thread(Serve) { IsBackground = true, Name = "FUSE" };

    /// <summary>Where it is mounted.</summary>
    internal string Path { get; } = Directory.CreateTempSubdirectory("ioxide-other-").FullName;

    /// <summary>Skips the test where the host does not let it mount.</summary>
    internal static OtherMachine Mount()
    {
        Assert.SkipUnless(
            Environment.IsPrivilegedProcess && File.Exists("/dev/fuse"), "A file system in user space can only be mounted by root, where the kernel has FUSE.");
        var other = new OtherMachine();
        int result = MountNative("other", other.Path, "fuse", 0, $"fd={other._kernel.DangerousGetHandle()},rootmode=40000,user_id=0,group_id=0");
        if (result != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            other._kernel.Dispose();
            Directory.Delete(other.Path);
            Assert.Skip($"This host refuses to mount a file system in user space (error {error}).");
        }

        other._server.Start();
        return other;
    }

    /// <summary>The other machine writes a file in place. Only a name that is new changes the folder.</summary>
    internal void Write(string name, string content)
    {
        lock (_lock)
        {
            var file = (name, Encoding.UTF8.GetBytes(content), DateTimeOffset.UtcNow);
            int index = _files.FindIndex(known => known.Name == name);
            if (index >= 0)
            {
                _files[index] = file;
                return;
            }

            _files.Add(file);
            _namesChanged = DateTimeOffset.UtcNow;
        }
    }

    public void Dispose()
    {
        Assert.Equal(0, UnmountNative(Path, Detach));
        _kernel.Dispose();
        Directory.Delete(Path);
    }

    /// <summary>Answers until the mount has ended, which a read says with an error.</summary>
    private unsafe void Serve()
    {
        byte[] request = new byte[RequestBytes];
        while (true)
        {
            nint length;
            fixed (byte* bytes = request)
            {
                length = ReadNative(_kernel, bytes, RequestBytes);
            }

            if (length < HeaderBytes)
            {
                return;
            }

            if (Answer(request.AsSpan(0, (int)length)) is { } answer)
            {
                // One that nobody waits for any more is refused.
                fixed (byte* bytes = answer)
                {
                    _ = WriteNative(_kernel, bytes, answer.Length);
                }
            }
        }
    }

    /// <returns>Null where none is due.</returns>
    private byte[]? Answer(ReadOnlySpan<byte> request)
    {
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        writer.Write(new byte[AnswerHeaderBytes]);
        ulong node = BinaryPrimitives.ReadUInt64LittleEndian(request[16..]);
        ReadOnlySpan<byte> arguments = request[HeaderBytes..];
        int error = 0;
        lock (_lock)
        {
            switch (BinaryPrimitives.ReadInt32LittleEndian(request[4..]))
            {
                case 1: // LOOKUP
                    string name = Encoding.UTF8.GetString(arguments.TrimEnd((byte)0));
                    int found = _files.FindIndex(file => file.Name == name);
                    error = found < 0 ? NotFound : 0;
                    if (found >= 0)
                    {
                        Write(writer, RootNode + 1 + (ulong)found, 0UL, 0UL, 0UL, 0UL);
                        WriteAttributes(writer, RootNode + 1 + (ulong)found);
                    }

                    break;
                case 2 or 36 or 42: // FORGET, INTERRUPT, BATCH_FORGET
                    return null;
                case 3: // GETATTR
                    Write(writer, 0UL, 0UL);
                    WriteAttributes(writer, node);
                    break;
                case 14 or 27: // OPEN, OPENDIR
                    Write(writer, 0UL, 0UL);
                    break;
                case 15: // READ
                    byte[] content = _files[(int)(node - RootNode - 1)].Content;
                    int offset = (int)Math.Min(BinaryPrimitives.ReadUInt64LittleEndian(arguments[8..]), (ulong)content.Length);
                    int count = Math.Min(BinaryPrimitives.ReadInt32LittleEndian(arguments[16..]), content.Length - offset);
                    writer.Write(content, offset, count);
                    break;
                case 17: // STATFS
                    Write(writer, 0UL, 0UL, 0UL, 0UL, 0UL, 0UL, 0UL, 0UL, 0UL, 0UL);
                    break;
                case 18 or 25 or 29: // RELEASE, FLUSH, RELEASEDIR
                    break;
                case 26: // INIT
                    writer.Write(7);
                    writer.Write(31);
                    Write(writer, 0UL, 0UL, 0UL, 0UL, 0UL, 0UL, 0UL);
                    break;
                case 28: // READDIR
                    WriteNames(writer, (int)BinaryPrimitives.ReadUInt64LittleEndian(arguments[8..]));
                    break;
                default:
                    error = NotImplemented;
                    break;
            }
        }

        byte[] answer = stream.ToArray();
        BinaryPrimitives.WriteInt32LittleEndian(answer, answer.Length);
        BinaryPrimitives.WriteInt32LittleEndian(answer.AsSpan(4), error);
        request.Slice(8, 8).CopyTo(answer.AsSpan(8));
        return answer;
    }

    private void WriteAttributes(BinaryWriter writer, ulong node)
    {
        (_, byte[] content, DateTimeOffset changed) = node == RootNode ? ("", [], _namesChanged) : _files[(int)(node - RootNode - 1)];
        ulong seconds = (ulong)changed.ToUnixTimeSeconds();
        uint rest = (uint)(changed.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick);
        Write(writer, node, (ulong)content.Length, 0UL, seconds, seconds, seconds);
        foreach (uint value in (uint[])[rest, rest, rest, node == RootNode ? DirectoryMode : RegularMode, 1, 0, 0, 0, 4096, 0])
        {
            writer.Write(value);
        }
    }

    private void WriteNames(BinaryWriter writer, int first)
    {
        for (int index = first; index < _files.Count; index++)
        {
            byte[] name = Encoding.UTF8.GetBytes(_files[index].Name);
            Write(writer, RootNode + 1 + (ulong)index, (ulong)index + 1);
            writer.Write(name.Length);
            writer.Write(8);
            writer.Write(name);
            writer.Write(new byte[-name.Length & 7]);
        }
    }

    private static void Write(BinaryWriter writer, params ReadOnlySpan<ulong> values)
    {
        foreach (ulong value in values)
        {
            writer.Write(value);
        }
    }

    [LibraryImport("libc", EntryPoint = "mount", StringMarshalling = StringMarshalling.Utf8, SetLastError = true)]
    private static partial int MountNative(string source, string target, string type, nuint flags, string options);

    [LibraryImport("libc", EntryPoint = "umount2", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int UnmountNative(string target, int flags);

    [LibraryImport("libc", EntryPoint = "read")]
    private static unsafe partial nint ReadNative(SafeFileHandle file, byte* buffer, nint length);

    [LibraryImport("libc", EntryPoint = "write")]
    private static unsafe partial nint WriteNative(SafeFileHandle file, byte* buffer, nint length);
}
