namespace Ioxide.Pg;

/// <summary>Prints ranges and multiranges as the server does.</summary>
internal static class RangeText
{
    private const int ScratchBytes = 256;

    internal static void Write(scoped ReadOnlySpan<byte> wire, uint typeId, ref Utf8Sink sink)
    {
        var view = new RangeView(wire, typeId);
        if ((view.Flags & RangeFlags.Empty) != 0)
        {
            sink.Write("empty"u8);
            return;
        }

        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            sink.Write((view.Flags & RangeFlags.LowerInclusive) != 0 ? '[' : '(');
            if (view.HasLower)
            {
                FieldText.WriteScalar(view.Lower, ref scratch);
                TextQuoting.WriteBound(scratch.Written, ref sink);
            }

            sink.Write(',');
            if (view.HasUpper)
            {
                scratch.Clear();
                FieldText.WriteScalar(view.Upper, ref scratch);
                TextQuoting.WriteBound(scratch.Written, ref sink);
            }

            sink.Write((view.Flags & RangeFlags.UpperInclusive) != 0 ? ']' : ')');
        }
        finally
        {
            scratch.Dispose();
        }
    }

    internal static void WriteMulti(scoped ReadOnlySpan<byte> wire, uint typeId, ref Utf8Sink sink)
    {
        var reader = new FieldReader(wire, typeId);
        uint rangeId = PgTypeTable.ElementOf(typeId);
        sink.Write('{');
        for (int left = reader.ReadInt32(), index = 0; index < left; index++)
        {
            sink.Write(index == 0 ? [] : ","u8);
            Write(reader.ReadField(rangeId).Bytes, rangeId, ref sink);
        }

        reader.End();
        sink.Write('}');
    }
}
