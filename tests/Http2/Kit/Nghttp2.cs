using System.Runtime.InteropServices;
using System.Text;

namespace Ioxide.Http2.Tests;

/// <summary>The HPACK coder of nghttp2, beside which ours is held.</summary>
internal static unsafe partial class Nghttp2
{
    private const string Library = "libnghttp2.so.14";

    // NGHTTP2_NV_FLAG_NO_INDEX, NGHTTP2_HD_INFLATE_EMIT, NGHTTP2_HD_INFLATE_FINAL.
    private const byte NoIndex = 1;
    private const int Emitted = 2;
    private const int Final = 1;

    internal static bool IsThere { get; } = NativeLibrary.TryLoad(Library, out _);

    internal static void Require() => Assert.SkipUnless(IsThere, "libnghttp2 is not installed.");

    /// <summary>One side of a connection that encodes.</summary>
    internal sealed class Encoder : IDisposable
    {
        private readonly nint _handle;

        internal Encoder(int maxTableBytes = 4096)
        {
            Assert.Equal(0, DeflateNew(out nint handle, (nuint)maxTableBytes));
            _handle = handle;
        }

        internal void Resize(int tableBytes) => Assert.Equal(0, DeflateResize(_handle, (nuint)tableBytes));

        internal byte[] Encode(IReadOnlyList<Field> fields)
        {
            List<GCHandle> pins = [];
            try
            {
                var pairs = new Pair[fields.Count];
                for (int index = 0; index < fields.Count; index++)
                {
                    byte[] name = Encoding.Latin1.GetBytes(fields[index].Name);
                    byte[] value = Encoding.Latin1.GetBytes(fields[index].Value);
                    pins.Add(GCHandle.Alloc(name, GCHandleType.Pinned));
                    pins.Add(GCHandle.Alloc(value, GCHandleType.Pinned));
                    pairs[index] = new Pair
                    {
                        Name = pins[^2].AddrOfPinnedObject(),
                        Value = pins[^1].AddrOfPinnedObject(),
                        NameLength = (nuint)name.Length,
                        ValueLength = (nuint)value.Length,
                        Flags = fields[index].IsNeverIndexed ? NoIndex : (byte)0,
                    };
                }

                fixed (Pair* first = pairs)
                {
                    byte[] block = new byte[(int)DeflateBound(_handle, (nint)first, (nuint)pairs.Length)];
                    fixed (byte* bytes = block)
                    {
                        nint length = Deflate(_handle, (nint)bytes, (nuint)block.Length, (nint)first, (nuint)pairs.Length);
                        Assert.True(length >= 0);
                        return block[..(int)length];
                    }
                }
            }
            finally
            {
                pins.ForEach(static pin => pin.Free());
            }
        }

        public void Dispose() => DeflateFree(_handle);
    }

    /// <summary>One side of a connection that decodes.</summary>
    internal sealed class Decoder : IDisposable
    {
        private readonly nint _handle;

        internal Decoder()
        {
            Assert.Equal(0, InflateNew(out nint handle));
            _handle = handle;
        }

        internal int TableBytes => (int)InflateTableSize(_handle);

        internal void Allow(int tableBytes) => Assert.Equal(0, InflateResize(_handle, (nuint)tableBytes));

        /// <summary>The fields, or null where the block is not one.</summary>
        internal List<Field>? Decode(byte[] block)
        {
            List<Field> fields = [];
            fixed (byte* bytes = block)
            {
                int offset = 0;
                while (true)
                {
                    nint taken = Inflate(_handle, out Pair pair, out int flags, (nint)(bytes + offset), (nuint)(block.Length - offset), 1);
                    if (taken < 0)
                    {
                        return null;
                    }

                    offset += (int)taken;
                    if ((flags & Emitted) != 0)
                    {
                        fields.Add(new Field(Text(pair.Name, pair.NameLength), Text(pair.Value, pair.ValueLength), (pair.Flags & NoIndex) != 0));
                    }

                    if ((flags & Final) != 0)
                    {
                        Assert.Equal(0, InflateEnd(_handle));
                        return fields;
                    }

                    if ((flags & Emitted) == 0 && offset == block.Length)
                    {
                        return null;
                    }
                }
            }
        }

        public void Dispose() => InflateFree(_handle);

        private static string Text(nint bytes, nuint length) => Encoding.Latin1.GetString((byte*)bytes, (int)length);
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Pair
    {
        internal nint Name;
        internal nint Value;
        internal nuint NameLength;
        internal nuint ValueLength;
        internal byte Flags;
    }

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_deflate_new")]
    private static partial int DeflateNew(out nint handle, nuint maxTableBytes);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_deflate_del")]
    private static partial void DeflateFree(nint handle);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_deflate_change_table_size")]
    private static partial int DeflateResize(nint handle, nuint bytes);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_deflate_bound")]
    private static partial nuint DeflateBound(nint handle, nint pairs, nuint count);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_deflate_hd")]
    private static partial nint Deflate(nint handle, nint block, nuint blockBytes, nint pairs, nuint count);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_inflate_new")]
    private static partial int InflateNew(out nint handle);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_inflate_del")]
    private static partial void InflateFree(nint handle);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_inflate_change_table_size")]
    private static partial int InflateResize(nint handle, nuint bytes);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_inflate_get_dynamic_table_size")]
    private static partial nuint InflateTableSize(nint handle);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_inflate_hd2")]
    private static partial nint Inflate(nint handle, out Pair pair, out int flags, nint block, nuint blockBytes, int isFinal);

    [LibraryImport(Library, EntryPoint = "nghttp2_hd_inflate_end_headers")]
    private static partial int InflateEnd(nint handle);
}
