// The multi-component swizzles of traced vectors, .xy() to .wwww(), by the smallest vector that has them.
// Each returns an expression; the single components (.x() …) are in traced.hpp, since they can be assigned.
#pragma once

#include <cstdint>

namespace quern::quern_detail {

/// Swizzles of a vector of N components; Derived offers `swizzled<count, pattern>()`, 4 bits a component.
template <class Derived, int N>
struct swizzles {};

template <class Derived>
struct swizzles<Derived, 2> {
    auto xx() const { return at<2, 0xff00>(); } auto xy() const { return at<2, 0xff10>(); }
    auto yx() const { return at<2, 0xff01>(); } auto yy() const { return at<2, 0xff11>(); }
    auto xxx() const { return at<3, 0xf000>(); } auto xxy() const { return at<3, 0xf100>(); }
    auto xyx() const { return at<3, 0xf010>(); } auto xyy() const { return at<3, 0xf110>(); }
    auto yxx() const { return at<3, 0xf001>(); } auto yxy() const { return at<3, 0xf101>(); }
    auto yyx() const { return at<3, 0xf011>(); } auto yyy() const { return at<3, 0xf111>(); }
    auto xxxx() const { return at<4, 0x0000>(); } auto xxxy() const { return at<4, 0x1000>(); }
    auto xxyx() const { return at<4, 0x0100>(); } auto xxyy() const { return at<4, 0x1100>(); }
    auto xyxx() const { return at<4, 0x0010>(); } auto xyxy() const { return at<4, 0x1010>(); }
    auto xyyx() const { return at<4, 0x0110>(); } auto xyyy() const { return at<4, 0x1110>(); }
    auto yxxx() const { return at<4, 0x0001>(); } auto yxxy() const { return at<4, 0x1001>(); }
    auto yxyx() const { return at<4, 0x0101>(); } auto yxyy() const { return at<4, 0x1101>(); }
    auto yyxx() const { return at<4, 0x0011>(); } auto yyxy() const { return at<4, 0x1011>(); }
    auto yyyx() const { return at<4, 0x0111>(); } auto yyyy() const { return at<4, 0x1111>(); }

private:
    template <int Count, std::uint64_t Pattern>
    auto at() const { return static_cast<const Derived&>(*this).template swizzled<Count, Pattern>(); }
};

template <class Derived>
struct swizzles<Derived, 3> : swizzles<Derived, 2> {
    auto xz() const { return at<2, 0xff20>(); } auto yz() const { return at<2, 0xff21>(); }
    auto zx() const { return at<2, 0xff02>(); } auto zy() const { return at<2, 0xff12>(); }
    auto zz() const { return at<2, 0xff22>(); }
    auto xxz() const { return at<3, 0xf200>(); } auto xyz() const { return at<3, 0xf210>(); }
    auto xzx() const { return at<3, 0xf020>(); } auto xzy() const { return at<3, 0xf120>(); }
    auto xzz() const { return at<3, 0xf220>(); } auto yxz() const { return at<3, 0xf201>(); }
    auto yyz() const { return at<3, 0xf211>(); } auto yzx() const { return at<3, 0xf021>(); }
    auto yzy() const { return at<3, 0xf121>(); } auto yzz() const { return at<3, 0xf221>(); }
    auto zxx() const { return at<3, 0xf002>(); } auto zxy() const { return at<3, 0xf102>(); }
    auto zxz() const { return at<3, 0xf202>(); } auto zyx() const { return at<3, 0xf012>(); }
    auto zyy() const { return at<3, 0xf112>(); } auto zyz() const { return at<3, 0xf212>(); }
    auto zzx() const { return at<3, 0xf022>(); } auto zzy() const { return at<3, 0xf122>(); }
    auto zzz() const { return at<3, 0xf222>(); }
    auto xxxz() const { return at<4, 0x2000>(); } auto xxyz() const { return at<4, 0x2100>(); }
    auto xxzx() const { return at<4, 0x0200>(); } auto xxzy() const { return at<4, 0x1200>(); }
    auto xxzz() const { return at<4, 0x2200>(); } auto xyxz() const { return at<4, 0x2010>(); }
    auto xyyz() const { return at<4, 0x2110>(); } auto xyzx() const { return at<4, 0x0210>(); }
    auto xyzy() const { return at<4, 0x1210>(); } auto xyzz() const { return at<4, 0x2210>(); }
    auto xzxx() const { return at<4, 0x0020>(); } auto xzxy() const { return at<4, 0x1020>(); }
    auto xzxz() const { return at<4, 0x2020>(); } auto xzyx() const { return at<4, 0x0120>(); }
    auto xzyy() const { return at<4, 0x1120>(); } auto xzyz() const { return at<4, 0x2120>(); }
    auto xzzx() const { return at<4, 0x0220>(); } auto xzzy() const { return at<4, 0x1220>(); }
    auto xzzz() const { return at<4, 0x2220>(); } auto yxxz() const { return at<4, 0x2001>(); }
    auto yxyz() const { return at<4, 0x2101>(); } auto yxzx() const { return at<4, 0x0201>(); }
    auto yxzy() const { return at<4, 0x1201>(); } auto yxzz() const { return at<4, 0x2201>(); }
    auto yyxz() const { return at<4, 0x2011>(); } auto yyyz() const { return at<4, 0x2111>(); }
    auto yyzx() const { return at<4, 0x0211>(); } auto yyzy() const { return at<4, 0x1211>(); }
    auto yyzz() const { return at<4, 0x2211>(); } auto yzxx() const { return at<4, 0x0021>(); }
    auto yzxy() const { return at<4, 0x1021>(); } auto yzxz() const { return at<4, 0x2021>(); }
    auto yzyx() const { return at<4, 0x0121>(); } auto yzyy() const { return at<4, 0x1121>(); }
    auto yzyz() const { return at<4, 0x2121>(); } auto yzzx() const { return at<4, 0x0221>(); }
    auto yzzy() const { return at<4, 0x1221>(); } auto yzzz() const { return at<4, 0x2221>(); }
    auto zxxx() const { return at<4, 0x0002>(); } auto zxxy() const { return at<4, 0x1002>(); }
    auto zxxz() const { return at<4, 0x2002>(); } auto zxyx() const { return at<4, 0x0102>(); }
    auto zxyy() const { return at<4, 0x1102>(); } auto zxyz() const { return at<4, 0x2102>(); }
    auto zxzx() const { return at<4, 0x0202>(); } auto zxzy() const { return at<4, 0x1202>(); }
    auto zxzz() const { return at<4, 0x2202>(); } auto zyxx() const { return at<4, 0x0012>(); }
    auto zyxy() const { return at<4, 0x1012>(); } auto zyxz() const { return at<4, 0x2012>(); }
    auto zyyx() const { return at<4, 0x0112>(); } auto zyyy() const { return at<4, 0x1112>(); }
    auto zyyz() const { return at<4, 0x2112>(); } auto zyzx() const { return at<4, 0x0212>(); }
    auto zyzy() const { return at<4, 0x1212>(); } auto zyzz() const { return at<4, 0x2212>(); }
    auto zzxx() const { return at<4, 0x0022>(); } auto zzxy() const { return at<4, 0x1022>(); }
    auto zzxz() const { return at<4, 0x2022>(); } auto zzyx() const { return at<4, 0x0122>(); }
    auto zzyy() const { return at<4, 0x1122>(); } auto zzyz() const { return at<4, 0x2122>(); }
    auto zzzx() const { return at<4, 0x0222>(); } auto zzzy() const { return at<4, 0x1222>(); }
    auto zzzz() const { return at<4, 0x2222>(); }

private:
    template <int Count, std::uint64_t Pattern>
    auto at() const { return static_cast<const Derived&>(*this).template swizzled<Count, Pattern>(); }
};

template <class Derived>
struct swizzles<Derived, 4> : swizzles<Derived, 3> {
    auto xw() const { return at<2, 0xff30>(); } auto yw() const { return at<2, 0xff31>(); }
    auto zw() const { return at<2, 0xff32>(); } auto wx() const { return at<2, 0xff03>(); }
    auto wy() const { return at<2, 0xff13>(); } auto wz() const { return at<2, 0xff23>(); }
    auto ww() const { return at<2, 0xff33>(); }
    auto xxw() const { return at<3, 0xf300>(); } auto xyw() const { return at<3, 0xf310>(); }
    auto xzw() const { return at<3, 0xf320>(); } auto xwx() const { return at<3, 0xf030>(); }
    auto xwy() const { return at<3, 0xf130>(); } auto xwz() const { return at<3, 0xf230>(); }
    auto xww() const { return at<3, 0xf330>(); } auto yxw() const { return at<3, 0xf301>(); }
    auto yyw() const { return at<3, 0xf311>(); } auto yzw() const { return at<3, 0xf321>(); }
    auto ywx() const { return at<3, 0xf031>(); } auto ywy() const { return at<3, 0xf131>(); }
    auto ywz() const { return at<3, 0xf231>(); } auto yww() const { return at<3, 0xf331>(); }
    auto zxw() const { return at<3, 0xf302>(); } auto zyw() const { return at<3, 0xf312>(); }
    auto zzw() const { return at<3, 0xf322>(); } auto zwx() const { return at<3, 0xf032>(); }
    auto zwy() const { return at<3, 0xf132>(); } auto zwz() const { return at<3, 0xf232>(); }
    auto zww() const { return at<3, 0xf332>(); } auto wxx() const { return at<3, 0xf003>(); }
    auto wxy() const { return at<3, 0xf103>(); } auto wxz() const { return at<3, 0xf203>(); }
    auto wxw() const { return at<3, 0xf303>(); } auto wyx() const { return at<3, 0xf013>(); }
    auto wyy() const { return at<3, 0xf113>(); } auto wyz() const { return at<3, 0xf213>(); }
    auto wyw() const { return at<3, 0xf313>(); } auto wzx() const { return at<3, 0xf023>(); }
    auto wzy() const { return at<3, 0xf123>(); } auto wzz() const { return at<3, 0xf223>(); }
    auto wzw() const { return at<3, 0xf323>(); } auto wwx() const { return at<3, 0xf033>(); }
    auto wwy() const { return at<3, 0xf133>(); } auto wwz() const { return at<3, 0xf233>(); }
    auto www() const { return at<3, 0xf333>(); }
    auto xxxw() const { return at<4, 0x3000>(); } auto xxyw() const { return at<4, 0x3100>(); }
    auto xxzw() const { return at<4, 0x3200>(); } auto xxwx() const { return at<4, 0x0300>(); }
    auto xxwy() const { return at<4, 0x1300>(); } auto xxwz() const { return at<4, 0x2300>(); }
    auto xxww() const { return at<4, 0x3300>(); } auto xyxw() const { return at<4, 0x3010>(); }
    auto xyyw() const { return at<4, 0x3110>(); } auto xyzw() const { return at<4, 0x3210>(); }
    auto xywx() const { return at<4, 0x0310>(); } auto xywy() const { return at<4, 0x1310>(); }
    auto xywz() const { return at<4, 0x2310>(); } auto xyww() const { return at<4, 0x3310>(); }
    auto xzxw() const { return at<4, 0x3020>(); } auto xzyw() const { return at<4, 0x3120>(); }
    auto xzzw() const { return at<4, 0x3220>(); } auto xzwx() const { return at<4, 0x0320>(); }
    auto xzwy() const { return at<4, 0x1320>(); } auto xzwz() const { return at<4, 0x2320>(); }
    auto xzww() const { return at<4, 0x3320>(); } auto xwxx() const { return at<4, 0x0030>(); }
    auto xwxy() const { return at<4, 0x1030>(); } auto xwxz() const { return at<4, 0x2030>(); }
    auto xwxw() const { return at<4, 0x3030>(); } auto xwyx() const { return at<4, 0x0130>(); }
    auto xwyy() const { return at<4, 0x1130>(); } auto xwyz() const { return at<4, 0x2130>(); }
    auto xwyw() const { return at<4, 0x3130>(); } auto xwzx() const { return at<4, 0x0230>(); }
    auto xwzy() const { return at<4, 0x1230>(); } auto xwzz() const { return at<4, 0x2230>(); }
    auto xwzw() const { return at<4, 0x3230>(); } auto xwwx() const { return at<4, 0x0330>(); }
    auto xwwy() const { return at<4, 0x1330>(); } auto xwwz() const { return at<4, 0x2330>(); }
    auto xwww() const { return at<4, 0x3330>(); } auto yxxw() const { return at<4, 0x3001>(); }
    auto yxyw() const { return at<4, 0x3101>(); } auto yxzw() const { return at<4, 0x3201>(); }
    auto yxwx() const { return at<4, 0x0301>(); } auto yxwy() const { return at<4, 0x1301>(); }
    auto yxwz() const { return at<4, 0x2301>(); } auto yxww() const { return at<4, 0x3301>(); }
    auto yyxw() const { return at<4, 0x3011>(); } auto yyyw() const { return at<4, 0x3111>(); }
    auto yyzw() const { return at<4, 0x3211>(); } auto yywx() const { return at<4, 0x0311>(); }
    auto yywy() const { return at<4, 0x1311>(); } auto yywz() const { return at<4, 0x2311>(); }
    auto yyww() const { return at<4, 0x3311>(); } auto yzxw() const { return at<4, 0x3021>(); }
    auto yzyw() const { return at<4, 0x3121>(); } auto yzzw() const { return at<4, 0x3221>(); }
    auto yzwx() const { return at<4, 0x0321>(); } auto yzwy() const { return at<4, 0x1321>(); }
    auto yzwz() const { return at<4, 0x2321>(); } auto yzww() const { return at<4, 0x3321>(); }
    auto ywxx() const { return at<4, 0x0031>(); } auto ywxy() const { return at<4, 0x1031>(); }
    auto ywxz() const { return at<4, 0x2031>(); } auto ywxw() const { return at<4, 0x3031>(); }
    auto ywyx() const { return at<4, 0x0131>(); } auto ywyy() const { return at<4, 0x1131>(); }
    auto ywyz() const { return at<4, 0x2131>(); } auto ywyw() const { return at<4, 0x3131>(); }
    auto ywzx() const { return at<4, 0x0231>(); } auto ywzy() const { return at<4, 0x1231>(); }
    auto ywzz() const { return at<4, 0x2231>(); } auto ywzw() const { return at<4, 0x3231>(); }
    auto ywwx() const { return at<4, 0x0331>(); } auto ywwy() const { return at<4, 0x1331>(); }
    auto ywwz() const { return at<4, 0x2331>(); } auto ywww() const { return at<4, 0x3331>(); }
    auto zxxw() const { return at<4, 0x3002>(); } auto zxyw() const { return at<4, 0x3102>(); }
    auto zxzw() const { return at<4, 0x3202>(); } auto zxwx() const { return at<4, 0x0302>(); }
    auto zxwy() const { return at<4, 0x1302>(); } auto zxwz() const { return at<4, 0x2302>(); }
    auto zxww() const { return at<4, 0x3302>(); } auto zyxw() const { return at<4, 0x3012>(); }
    auto zyyw() const { return at<4, 0x3112>(); } auto zyzw() const { return at<4, 0x3212>(); }
    auto zywx() const { return at<4, 0x0312>(); } auto zywy() const { return at<4, 0x1312>(); }
    auto zywz() const { return at<4, 0x2312>(); } auto zyww() const { return at<4, 0x3312>(); }
    auto zzxw() const { return at<4, 0x3022>(); } auto zzyw() const { return at<4, 0x3122>(); }
    auto zzzw() const { return at<4, 0x3222>(); } auto zzwx() const { return at<4, 0x0322>(); }
    auto zzwy() const { return at<4, 0x1322>(); } auto zzwz() const { return at<4, 0x2322>(); }
    auto zzww() const { return at<4, 0x3322>(); } auto zwxx() const { return at<4, 0x0032>(); }
    auto zwxy() const { return at<4, 0x1032>(); } auto zwxz() const { return at<4, 0x2032>(); }
    auto zwxw() const { return at<4, 0x3032>(); } auto zwyx() const { return at<4, 0x0132>(); }
    auto zwyy() const { return at<4, 0x1132>(); } auto zwyz() const { return at<4, 0x2132>(); }
    auto zwyw() const { return at<4, 0x3132>(); } auto zwzx() const { return at<4, 0x0232>(); }
    auto zwzy() const { return at<4, 0x1232>(); } auto zwzz() const { return at<4, 0x2232>(); }
    auto zwzw() const { return at<4, 0x3232>(); } auto zwwx() const { return at<4, 0x0332>(); }
    auto zwwy() const { return at<4, 0x1332>(); } auto zwwz() const { return at<4, 0x2332>(); }
    auto zwww() const { return at<4, 0x3332>(); } auto wxxx() const { return at<4, 0x0003>(); }
    auto wxxy() const { return at<4, 0x1003>(); } auto wxxz() const { return at<4, 0x2003>(); }
    auto wxxw() const { return at<4, 0x3003>(); } auto wxyx() const { return at<4, 0x0103>(); }
    auto wxyy() const { return at<4, 0x1103>(); } auto wxyz() const { return at<4, 0x2103>(); }
    auto wxyw() const { return at<4, 0x3103>(); } auto wxzx() const { return at<4, 0x0203>(); }
    auto wxzy() const { return at<4, 0x1203>(); } auto wxzz() const { return at<4, 0x2203>(); }
    auto wxzw() const { return at<4, 0x3203>(); } auto wxwx() const { return at<4, 0x0303>(); }
    auto wxwy() const { return at<4, 0x1303>(); } auto wxwz() const { return at<4, 0x2303>(); }
    auto wxww() const { return at<4, 0x3303>(); } auto wyxx() const { return at<4, 0x0013>(); }
    auto wyxy() const { return at<4, 0x1013>(); } auto wyxz() const { return at<4, 0x2013>(); }
    auto wyxw() const { return at<4, 0x3013>(); } auto wyyx() const { return at<4, 0x0113>(); }
    auto wyyy() const { return at<4, 0x1113>(); } auto wyyz() const { return at<4, 0x2113>(); }
    auto wyyw() const { return at<4, 0x3113>(); } auto wyzx() const { return at<4, 0x0213>(); }
    auto wyzy() const { return at<4, 0x1213>(); } auto wyzz() const { return at<4, 0x2213>(); }
    auto wyzw() const { return at<4, 0x3213>(); } auto wywx() const { return at<4, 0x0313>(); }
    auto wywy() const { return at<4, 0x1313>(); } auto wywz() const { return at<4, 0x2313>(); }
    auto wyww() const { return at<4, 0x3313>(); } auto wzxx() const { return at<4, 0x0023>(); }
    auto wzxy() const { return at<4, 0x1023>(); } auto wzxz() const { return at<4, 0x2023>(); }
    auto wzxw() const { return at<4, 0x3023>(); } auto wzyx() const { return at<4, 0x0123>(); }
    auto wzyy() const { return at<4, 0x1123>(); } auto wzyz() const { return at<4, 0x2123>(); }
    auto wzyw() const { return at<4, 0x3123>(); } auto wzzx() const { return at<4, 0x0223>(); }
    auto wzzy() const { return at<4, 0x1223>(); } auto wzzz() const { return at<4, 0x2223>(); }
    auto wzzw() const { return at<4, 0x3223>(); } auto wzwx() const { return at<4, 0x0323>(); }
    auto wzwy() const { return at<4, 0x1323>(); } auto wzwz() const { return at<4, 0x2323>(); }
    auto wzww() const { return at<4, 0x3323>(); } auto wwxx() const { return at<4, 0x0033>(); }
    auto wwxy() const { return at<4, 0x1033>(); } auto wwxz() const { return at<4, 0x2033>(); }
    auto wwxw() const { return at<4, 0x3033>(); } auto wwyx() const { return at<4, 0x0133>(); }
    auto wwyy() const { return at<4, 0x1133>(); } auto wwyz() const { return at<4, 0x2133>(); }
    auto wwyw() const { return at<4, 0x3133>(); } auto wwzx() const { return at<4, 0x0233>(); }
    auto wwzy() const { return at<4, 0x1233>(); } auto wwzz() const { return at<4, 0x2233>(); }
    auto wwzw() const { return at<4, 0x3233>(); } auto wwwx() const { return at<4, 0x0333>(); }
    auto wwwy() const { return at<4, 0x1333>(); } auto wwwz() const { return at<4, 0x2333>(); }
    auto wwww() const { return at<4, 0x3333>(); }

private:
    template <int Count, std::uint64_t Pattern>
    auto at() const { return static_cast<const Derived&>(*this).template swizzled<Count, Pattern>(); }
};

}  // namespace quern::quern_detail
