using System.Text;

namespace Ioxide.Pg.Data;

/// <summary>The label of an enum that is not mapped: UTF-8 in either form, under the OID of the database.</summary>
internal sealed class LabelCodec : PgCodec<string>
{
    internal static readonly LabelCodec Instance = new();

    public override uint TypeId => 0;

    public override PgFormat ParameterFormat => PgFormat.Text;

    public override int Measure(string value) => StringCodec.Instance.Measure(value);

    public override void Write(string value, Span<byte> destination) => StringCodec.Instance.Write(value, destination);

    public override string Read(PgField field) => field.IsNull ? null! : Encoding.UTF8.GetString(field.Bytes); // NULL is null.
}
